package keys_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// The table checks itself: what it gives as default and example is right.
func TestTheTableIsRight(t *testing.T) {
	t.Parallel()
	var walk func(list []keys.Key, path string)
	seen := 0
	walk = func(list []keys.Key, path string) {
		names := map[string]bool{}
		for _, k := range list {
			seen++
			at := path + "." + k.Name
			require.False(t, names[k.Name], "%s stands twice", at)
			names[k.Name] = true
			require.NotEmpty(t, k.Doc, at)
			for _, text := range []string{k.Default, k.Example} {
				checkText(t, k.Value, at, text)
			}
			if f := k.Value.Form; f != nil && f.Check != nil {
				checkText(t, k.Value, at, f.Example)
			}
			walk(k.Value.Map, at)
			if k.Value.List != nil {
				walk(k.Value.List.Map, at)
			}
		}
	}
	walk(keys.File(), "file")
	walk(keys.At(keys.Entry), "entry")
	walk(keys.Hosts(), "hosts")
	require.Greater(t, seen, 100)
}

func checkText(t *testing.T, v keys.Value, at, text string) {
	t.Helper()
	if text == "" {
		return
	}
	n, errs := yamltree.Parse("example", []byte(text))
	require.Empty(t, errs, "%s: %s", at, text)
	keys.Check(n, v, at, func(_ yamltree.Pos, path, wrong string) { t.Errorf("%s: the example %s: %s", path, text, wrong) })
}

func TestColumnsAreWhatAnItemMaySay(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range keys.Columns() {
		names = append(names, k.Name)
	}
	require.Equal(t, []string{"paused", "was", "tolerate.records", "expect.min_documents", "expect.fresh_within", "expect.else"}, names)
}

func TestLongFormsAreLists(t *testing.T) {
	t.Parallel()
	n, errs := yamltree.Parse("f", []byte("tags: a\nwas: b\nschedule: every 2h\nnotify: [{ to: x, when: failed }]\nbudget: { documents: 5/run }\nnothing: 1\n"))
	require.Empty(t, errs)
	got, err := json.Marshal(keys.Long(n, keys.At(keys.Campaign)).Value())
	require.NoError(t, err)
	require.JSONEq(t, `{"tags":["a"],"was":["b"],"schedule":"every 2h","notify":[{"to":"x","when":["failed"]}],"budget":{"documents":["5/run"]}}`, string(got))
}

func TestTheReferenceNamesEveryKey(t *testing.T) {
	t.Parallel()
	text := keys.Reference()
	for _, p := range []keys.Place{keys.Campaign, keys.Entry, keys.Defaults} {
		for _, k := range keys.At(p) {
			require.True(t, strings.Contains(text, "| `"+k.Name+"` |"), k.Name)
		}
	}
}
