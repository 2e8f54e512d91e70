package units_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/units"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		params   string
		identity []string
		want     string
	}{
		{`{"url":"https://x.org","prefix":"oai_dc"}`, []string{"url"}, "https://x.org"},
		{`{"url":"https://x.org","set":"a"}`, []string{"url", "set"}, "https://x.org a"},
		{`{"url":"https://x.org"}`, []string{"url", "set"}, "https://x.org"},
		{`{"series":12345678}`, []string{"series"}, "12345678"},
		{`{"lat":44.4072}`, []string{"lat"}, "44.4072"},
		{`{"url":"https://bob:pw@h/x"}`, []string{"url"}, "https://bob@h/x"}, // keys are shown
	} {
		got, err := units.Key(json.RawMessage(c.params), c.identity)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.params)
	}
}

func TestKeyOfParamsWithoutIdentity(t *testing.T) {
	t.Parallel()
	key := func(params string, identity ...string) string {
		k, err := units.Key(json.RawMessage(params), identity)
		require.NoError(t, err)
		require.Regexp(t, `^[0-9a-f]{16}$`, k)
		return k
	}
	require.Equal(t, "ee4a8f426e16f44e", key(`{"place":"Genova","lat":44.4}`), "keys name checkpoints: they must never change")
	require.Equal(t, key(`{"place":"Genova","lat":44.4}`), key(` {"lat":44.40, "place":"Genova"}`), "order and spaces do not count")
	require.NotEqual(t, key(`{"place":"Genova"}`), key(`{"place":"Roma"}`))
	require.Equal(t, key(`{"set":"a"}`), key(`{"set":"a"}`, "url", "set"), "without its first param there is no identity")
	require.Equal(t, key(`{"url":"","set":"a"}`), key(`{"url":"","set":"a"}`, "url", "set"))
	require.Equal(t, key(`{}`), key(``))
	_, err := units.Key(json.RawMessage(`[]`), nil)
	require.Error(t, err)
}

func TestItemString(t *testing.T) {
	t.Parallel()
	require.Equal(t, "news / feed / ansa", units.Item{Campaign: "news", Entry: "feed", Key: "ansa"}.String())
}
