package fieldjson_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/fieldjson"
)

func TestAppendWritesWhatMarshalWrites(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string]map[string]any{
		"nothing": {}, "nil": nil,
		"texts":  {"b": "plain", "a": `"<&>\` + "\n\x00\x7f", "c": "perché — ツ", "d": "\u2028 \u2029 \uFFFD", "e": "torn \xff\xc3"},
		"lists":  {"none": []string{}, "nil": []string(nil), "two": []string{"a", "<b>"}, "any": []any{"a", 1, true, nil, 1.5, []any{}}, "nilany": []any(nil)},
		"others": {"n": 12, "f": 1e21, "t": true, "z": nil, "m": map[string]any{"y": "x", "a": []string{"b"}}, "nm": map[string]any(nil), "o": struct{ A int }{1}},
		"keys":   {"<k>": 1, "": 2, "a\"b": 3},
	} {
		want, err := json.Marshal(fields)
		require.NoError(t, err)
		got, err := fieldjson.Append([]byte("x"), fields)
		require.NoError(t, err)
		if fields == nil {
			want = []byte("{}") // there is no field, and no fields
		}
		require.Equal(t, "x"+string(want), string(got), name)
	}
	_, err := fieldjson.Append(nil, map[string]any{"a": []any{math.NaN()}})
	require.Error(t, err)
	circle := map[string]any{}
	circle["a"] = []any{circle}
	_, err = fieldjson.Append(nil, circle)
	require.Error(t, err, "a circle has no end")
}

func FuzzAppend(f *testing.F) {
	f.Add("title", "a <b> & \"c\"\u2028\xff", "perché")
	f.Fuzz(func(t *testing.T, key, one, two string) {
		fields := map[string]any{key: one, "list": []string{one, two}, "any": []any{two, map[string]any{two: one}}}
		want, err := json.Marshal(fields)
		require.NoError(t, err)
		got, err := fieldjson.Append(nil, fields)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}
