package lists_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns/internal/lists"
)

// Lines are those of the file, also behind quotes that span some.
func TestLinesOfRows(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"l.csv":   "id,text\na,\"one\ntwo\"\n\nb,x\n",
		"l.json":  "[\n {\"id\":\"a\",\n  \"text\":\"x\"},\n\n {\"id\":\"b\"}\n]\n",
		"l.jsonl": "\n{\"id\":\"a\"}\n\n\n{\"id\":\"b\"}",
		"l.opml":  "<opml>\n<outline xmlUrl='a'/>\n\n\n<outline xmlUrl='b'/></opml>",
	} {
		list, errs := lists.Read(name, []byte(text))
		require.Empty(t, errs, name)
		require.Len(t, list.Rows, 2, name)
		require.Equal(t, []int{2, 5}, []int{list.Rows[0].Line, list.Rows[1].Line}, name)
	}
}

func TestRowsBesideABadOneAreKept(t *testing.T) {
	t.Parallel()
	list, errs := lists.Read("l.jsonl", []byte("{\"id\":1}\nnull\n{\"id\":2} x\n{\"id\":3}\n"))
	require.Len(t, list.Rows, 2)
	require.Equal(t, []int{2, 3}, []int{errs[0].Line, errs[1].Line})
	list, errs = lists.Read("l.json", []byte("[{\"id\":1},\n2,\n{\"id\":3}"))
	require.Len(t, list.Rows, 2)
	require.Equal(t, []int{2, 3}, []int{errs[0].Line, errs[1].Line})
}

func FuzzRead(f *testing.F) {
	for _, name := range lists.Formats() {
		for _, text := range []string{"id,url\na,b\n", "{\"id\":1}\n", "[{\"id\":1},{}]", "<opml><outline xmlUrl=\"x\" text=\"y\"/></opml>", "<?xml version=\"1.0\" encoding=\"utf-7\"?>", "\xff\xfe"} {
			f.Add(name, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, format string, text []byte) {
		list, _ := lists.Read("l."+format, text)
		last := 0
		for _, r := range list.Rows {
			require.NotNil(t, r.Values)
			require.GreaterOrEqual(t, r.Line, max(1, last))
			last = r.Line
		}
	})
}
