package yamltree_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

func parse(t *testing.T, text string) *yamltree.Node {
	t.Helper()
	n, errs := yamltree.Parse("f.yaml", []byte(text))
	require.Empty(t, errs)
	return n
}

func TestScalars(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(parse(t, "a: 0x10\nb: 8.9340\nc: 1_000\nd: yes\ne: True\nf: ~\ng: '5'\nh: !!str 5\ni: 2026-01-01\nj: 18:00\nk: 99999999999999999999\nl: |\n  x\n  y\nm: -7\n").Value())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":16,"b":8.934,"c":1000,"d":"yes","e":true,"f":null,"g":"5","h":"5","i":"2026-01-01","j":"18:00","k":"99999999999999999999","l":"x\ny\n","m":-7}`, string(got))
}

func TestPlacesAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	n := parse(t, "\xef\xbb\xbfa:\r\n  b: { c: x,\r\n       d: [1, 2] }\r\n")
	m, _ := n.Get("a", "b").Member("d")
	require.Equal(t, yamltree.Pos{File: "f.yaml", Line: 3, Column: 8}, m.At)
	require.Equal(t, yamltree.Pos{File: "f.yaml", Line: 3, Column: 15}, m.Value.Items[1].Pos)
	require.Equal(t, yamltree.Pos{File: "f.yaml", Line: 2, Column: 3}, n.Get("a").Pos)
}

// What stands behind text that had to be quoted keeps its column.
func TestBareTextIsQuotedAndTold(t *testing.T) {
	t.Parallel()
	n, errs := yamltree.Parse("f.yaml", []byte("a: { x: */5 1,2 * * *, y: @me, z: 1 }\nb:\n  - * * * * *\n  - 30 1 * * * # - * * * * *\n"))
	require.Len(t, errs, 3)
	require.Equal(t, "*/5 1,2 * * *", n.Get("a", "x").Text)
	require.Equal(t, "@me", n.Get("a", "y").Text)
	require.Equal(t, 35, n.Get("a", "z").Column)
	require.Equal(t, "* * * * *", n.Get("b").Items[0].Text)
	require.Equal(t, `a cron line that starts with * must be in quotes: "* * * * *"`, errs[2].Text)
}

func TestMergeReplacesAllButMaps(t *testing.T) {
	t.Parallel()
	under, over := parse(t, "a: { x: 1, y: 2 }\nb: [1]\nc: 3\n"), parse(t, "a: { y: null, z: 4 }\nb: [2]\n")
	got, err := json.Marshal(yamltree.Merge(under, over).Value())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":{"x":1,"y":null,"z":4},"b":[2],"c":3}`, string(got))
	require.Equal(t, "2", under.Get("a", "y").Text, "layers are shared; none may change")
	require.Same(t, under, yamltree.Merge(under, nil))
	require.Same(t, over, yamltree.Merge(nil, over))
}

func TestMergeKeysAreWeaker(t *testing.T) {
	t.Parallel()
	n := parse(t, "x: &x { a: 1, b: 1 }\ny: &y { b: 2, c: 2 }\nz: { <<: [*x, *y], a: 0 }\n")
	got, err := json.Marshal(n.Get("z").Value())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":0,"b":1,"c":2}`, string(got))
	_, errs := yamltree.Parse("f.yaml", []byte("z: { <<: 5 }\n"))
	require.Len(t, errs, 1)
}

// Files made to hurt end in a word, soon.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	for name, text := range map[string]string{
		"aliases of aliases": laughs.String(),
		"brackets":           strings.Repeat("[", 100_000),
		"dashes":             strings.Repeat("- ", 100_000),
		"maps":               strings.Repeat("{a: ", 10_000),
		"tags":               "a: " + strings.Repeat("!!x ", 10_000),
		"an alias of itself": "a: &a [*a]",
		"not UTF-8":          "a: \xff",
		"deep blocks":        deep(400),
	} {
		_, errs := yamltree.Parse("f.yaml", []byte(text))
		require.NotEmpty(t, errs, name)
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestWriteIsReadBack(t *testing.T) {
	t.Parallel()
	var v any = map[string]any{
		"plain": "two words", "odd": []any{"", " x ", "a: b", "# c", "yes", "1e3", "é\u2028\u0085\x7f", "line\nline", "*x", "- y", "null", true, nil, json.Number("1.5"), json.Number("-3")},
		"deep": map[string]any{"list": []any{[]any{"a", map[string]any{"b": []any{}}}, map[string]any{}}, "a key: odd": "x"},
	}
	text := yamltree.Write(yamltree.FromJSON(v))
	require.Equal(t, v, parse(t, string(text)).Value(), string(text))
}

func FuzzWrite(f *testing.F) {
	f.Add("plain", "*")
	f.Add("a: b", "\x00\u0085")
	f.Add("<<", "multi\nline\t")
	f.Fuzz(func(t *testing.T, key, value string) {
		// JSON and YAML hold valid UTF-8 only.
		key, value = strings.ToValidUTF8(key, ""), strings.ToValidUTF8(value, "")
		v := map[string]any{"x" + key: []any{value, map[string]any{"k": value}}}
		text := yamltree.Write(yamltree.FromJSON(v))
		n, errs := yamltree.Parse("f.yaml", text)
		require.Empty(t, errs, string(text))
		require.Equal(t, any(v), n.Value(), string(text))
	})
}
