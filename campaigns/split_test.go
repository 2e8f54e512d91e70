package campaigns_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

// rowsOf returns the items of the one entry of a, wherever they stand.
func rowsOf(t *testing.T, s campaigns.Source) []campaigns.Row {
	t.Helper()
	split := s.Campaign.Entries[0].Split
	require.NotNil(t, split)
	if split.List == "" {
		return split.Items
	}
	require.Equal(t, len(s.Lists[split.List]), split.Count)
	return s.Lists[split.List]
}

func listed(t *testing.T, name, list, split string) []campaigns.Row {
	t.Helper()
	loaded := load(t, map[string]string{name: list, "main.yaml": "campaigns:\n  a:\n    fetcher: feed\n    params: { max_entries: 7 }\n    expect: { item: { min_documents: 1 } }\n    split: { file: " + name + split + " }\n"})
	require.Empty(t, loaded.Problems)
	return rowsOf(t, loaded.Campaigns[0])
}

func TestListsOfEveryFormat(t *testing.T) {
	t.Parallel()
	a := campaigns.Row{Key: "a", Label: "Ansa, Roma", Line: 2, Params: json.RawMessage(`{"full":true,"max_entries":5,"url":"https://a.example/","words":["x","y"]}`)}
	b := campaigns.Row{Key: "b", Line: 3, Params: json.RawMessage(`{"url":"https://b.example/"}`)}
	for name, c := range map[string]struct{ file, text string }{
		"comma":     {"l.csv", "id,url,label,max_entries,full,words\na,https://a.example/,\"Ansa, Roma\",5,yes,\"x, y\"\nb,https://b.example/,,,,\n"},
		"semicolon": {"l.csv", "\xef\xbb\xbfid;url;label;max_entries;full;words\r\na;https://a.example/;Ansa, Roma;5;true;x, y\r\nb;https://b.example/;;;;\r\n;;;;;\r\n"},
		"tab":       {"l.csv", "id\turl\tlabel\tmax_entries\tfull\twords\na\thttps://a.example/\tAnsa, Roma\t5\t1\t\"[\"\"x\"\",\"\"y\"\"]\"\nb\thttps://b.example/\n"},
		"jsonl":     {"l.jsonl", "\n{\"id\":\"a\",\"url\":\"https://a.example/\",\"label\":\"Ansa, Roma\",\"max_entries\":5,\"full\":true,\"words\":[\"x\",\"y\"]}\n{\"id\":\"b\",\"url\":\"https://b.example/\",\"label\":null}\n"},
		"json":      {"l.json", "[\n{\"id\":\"a\",\"url\":\"https://a.example/\",\"label\":\"Ansa, Roma\",\"max_entries\":5,\"full\":true,\"words\":[\"x\",\"y\"]},\n{\"id\":\"b\",\"url\":\"https://b.example/\"}]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []campaigns.Row{a, b}, listed(t, c.file, c.text, ", key: id"))
		})
	}
}

func TestOPML(t *testing.T) {
	t.Parallel()
	text := `<?xml version="1.0" encoding="ISO-8859-1"?>
<opml version="2.0"><body>
 <outline text="folder">
  <outline text="x" title="Universit` + "\xe0" + `" type="rss" xmlUrl="https://a.example/"/>
  <outline text="deeper"><outline text="B" xmlUrl="https://b.example/"/></outline>
 </outline>
</body></opml>`
	require.Equal(t, []campaigns.Row{
		{Key: "https://a.example/", Label: "Università", Line: 4, Params: json.RawMessage(`{"url":"https://a.example/"}`)},
		{Key: "https://b.example/", Label: "B", Line: 5, Params: json.RawMessage(`{"url":"https://b.example/"}`)},
	}, listed(t, "l.opml", text, ""))
}

func TestColumnsThatSayPolicies(t *testing.T) {
	t.Parallel()
	rows := listed(t, "l.csv", "id,url,title,paused,expect.fresh_within,expect.else,tolerate.records\na,https://a.example/,A,\"moved, ask\",14d,fail,5%\nb,https://b.example/,,false,,,\n", ", key: id, label: title")
	require.Equal(t, []campaigns.Row{
		{
			Key: "a", Label: "A", Line: 2, Params: json.RawMessage(`{"url":"https://a.example/"}`), Paused: "moved, ask", Tolerate: &campaigns.Count{Share: 0.05},
			Expect: &campaigns.ItemExpectation{MinDocuments: 1, FreshWithin: 14 * 24 * time.Hour, Fail: true},
		},
		{Key: "b", Line: 3, Params: json.RawMessage(`{"url":"https://b.example/"}`)},
	}, rows)
}

func TestIncludeAndExclude(t *testing.T) {
	t.Parallel()
	list := "id,url\ncol_1,https://1.example/\ncol_2,https://2.example/\ncom_3,https://3.example/\n"
	keys := func(split string) (out []string) {
		for _, r := range listed(t, "l.csv", list, ", key: id"+split) {
			out = append(out, r.Key)
		}
		return out
	}
	require.Equal(t, []string{"col_1", "col_2"}, keys(`, include: ["col_*"]`))
	require.Equal(t, []string{"col_2", "com_3"}, keys(`, exclude: "*_1"`))
	require.Equal(t, []string{"col_2"}, keys(`, include: ["c?l_*"], exclude: ["*_1"]`))
	s := &campaigns.Split{Include: []string{"https://*.example/a/*"}}
	require.True(t, s.Keep("https://x.y.example/a/b/c"), "a star stands for slashes too: keys are addresses")
	require.False(t, s.Keep("https://x.example/b/"))
	require.True(t, (*campaigns.Split)(nil).Keep("anything"))
}

func TestItemParamsAndKeys(t *testing.T) {
	t.Parallel()
	e := campaigns.Entry{Name: "feed", Params: json.RawMessage(`{"url":"u","max_entries":1,"full":true}`)}
	params, err := e.ItemParams(campaigns.Row{Params: json.RawMessage(`{"max_entries":2}`)}, json.RawMessage(`{ "url": "v" }`))
	require.NoError(t, err)
	require.Equal(t, `{"full":true,"max_entries":2,"url":"v"}`, string(params))
	_, err = e.ItemParams(campaigns.Row{}, json.RawMessage(`[1]`))
	require.ErrorContains(t, err, "must be a map")

	key := func(e campaigns.Entry, r campaigns.Row, identity ...string) string {
		k, err := e.ItemKey(params, identity, r)
		require.NoError(t, err)
		return k
	}
	require.Equal(t, "mine", key(e, campaigns.Row{Key: "mine"}, "url"))
	require.Equal(t, "v", key(e, campaigns.Row{}, "url"))
	require.Len(t, key(e, campaigns.Row{}), 16)
	e.Split = &campaigns.Split{Ask: "sets", Key: "max_entries"}
	require.Equal(t, "2", key(e, campaigns.Row{}, "url"))
	long := strings.Repeat("k", 3000)
	require.Len(t, key(e, campaigns.Row{Key: long + "1"}), 1000)
	require.NotEqual(t, key(e, campaigns.Row{Key: long + "1"}), key(e, campaigns.Row{Key: long + "2"}))
	require.Equal(t, "a\uFFFDb\uFFFD", key(e, campaigns.Row{Key: "a\x00b\xff"}))
	e.Split.Key = "set"
	_, err = e.ItemKey(params, nil, campaigns.Row{})
	require.ErrorContains(t, err, `split.key names "set"`)
}

func TestAskIsText(t *testing.T) {
	t.Parallel()
	for _, ask := range []string{"sets", "{ name: sets }"} {
		s := one(t, "campaigns:\n  a:\n    fetcher: oaipmh\n    params: { url: \"https://o.example/\" }\n    split: { ask: "+ask+", include: [\"col_*\"] }\n")
		require.Equal(t, &campaigns.Split{Ask: "sets", Include: []string{"col_*"}}, s.Campaign.Entries[0].Split)
	}
}

func TestTheSamePlaceForTheSameKey(t *testing.T) {
	t.Parallel()
	first := listed(t, "l.csv", "id,url\na,https://a.example/\n", ", key: id")
	moved := listed(t, "l.csv", "id,url\na,https://moved.example/\n", ", key: id")
	require.Equal(t, first[0].Key, moved[0].Key, "with a key, a changed address keeps the checkpoint")
	require.NotEqual(t, first[0].Params, moved[0].Params)
}

func TestExamplesLoad(t *testing.T) {
	t.Parallel()
	loaded, err := campaigns.Load([]string{"../examples/mir-news.yaml", "../examples/news.yaml"}, lookup)
	require.NoError(t, err)
	require.Empty(t, loaded.Problems)
	rows := rowsOf(t, loaded.Campaigns[0])
	require.Len(t, rows, 133)
	regional := 0
	for _, r := range rows {
		if r.Label == "Regionali" {
			regional++
		}
	}
	require.Equal(t, 37, regional)
	require.Len(t, rowsOf(t, loaded.Campaigns[1]), 5)
}

// The examples of the documentation, with lists beside them.
func TestTheCompleteExampleLoads(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"testdata/ux", "testdata/short"} {
		loaded, err := campaigns.Load([]string{dir}, lookup)
		require.NoError(t, err)
		require.Empty(t, loaded.Problems)
		for _, s := range loaded.Campaigns {
			canonical, err := s.Campaign.Canonical()
			require.NoError(t, err)
			golden(t, dir+"/golden/"+s.Campaign.Name+".json", append(canonical, '\n'))
		}
	}
}

func TestListFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"utf-16":        {"l.csv", "\xff\xfei\x00", "l.csv  is UTF-16; save it as UTF-8"},
		"latin-1":       {"l.csv", "id,url\nx,caff\xe8\n", "l.csv:2  not UTF-8 text; save the file as UTF-8"},
		"quotes":        {"l.csv", "id,url\nx,\"a\n", "l.csv:2  not CSV: extraneous or missing \" in quoted-field"},
		"ending":        {"l.txt", "x\n", "l.txt  a list ends in .csv, .jsonl, .json, .opml; this one in \".txt\""},
		"empty":         {"l.csv", "", "l.csv  is empty; the first line names the columns"},
		"column twice":  {"l.csv", "id,id,url\nx,,https://a.example/\n", "l.csv:1  column id stands twice"},
		"a cell beside": {"l.csv", "id,url\nx,https://a.example/,y\n", "l.csv:2  3 cells, and the first line names 2 columns; text that holds the separator must be in quotes"},
		"no object":     {"l.jsonl", "{\"id\":\"x\",\"url\":\"https://a.example/\"}\n[1]\n", "l.jsonl:2  not a JSON object such as {\"url\": \"https://…\"}"},
		"no array":      {"l.json", "{}", "l.json:1  not a JSON array of objects: [ {…}, {…} ]"},
		"no opml":       {"l.opml", "<html/>", "l.opml:1  not OPML: there is no <opml> in it"},
		"cut opml":      {"l.opml", "<opml>\n<body>", "l.opml:2  not OPML: XML syntax error on line 2: unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{c.file: c.text, "main.yaml": "campaigns: { a: { fetcher: feed, split: { file: " + c.file + " } } }\n"})
			loaded, err := campaigns.Load([]string{dir}, lookup)
			require.NoError(t, err)
			require.NotEmpty(t, loaded.Problems)
			require.Contains(t, texts(dir, loaded.Problems), c.want)
			require.NoError(t, os.RemoveAll(dir))
		})
	}
}

func TestFormerKeysOfItems(t *testing.T) {
	t.Parallel()
	list := "id,url,was\na,https://a.example/,x\nb,https://b.example/,\n"
	got := listed(t, "l.csv", list, ", key: id")
	require.Equal(t, []string{"x", ""}, []string{got[0].Was, got[1].Was})
	inline := "campaigns:\n  a: { fetcher: feed, split: { key: id, items: [{ id: n, was: o, url: 'https://n.example/' }] } }\n"
	require.Equal(t, "o", rowsOf(t, load(t, map[string]string{"main.yaml": inline}).Campaigns[0])[0].Was)
	for was, wrong := range map[string]string{
		"a": "a is the key it has now", "b": "b is still an item, on line 3",
	} {
		require.Contains(t, problemsOf(t, strings.Replace(list, ",x", ","+was, 1)), wrong)
	}
	require.Contains(t, problemsOf(t, list+"c,https://c.example/,x\n"), "x moved to a already; its state can go to one place only")
}

func problemsOf(t *testing.T, list string) string {
	t.Helper()
	loaded := load(t, map[string]string{"l.csv": list, "main.yaml": "campaigns:\n  a: { fetcher: feed, split: { file: l.csv, key: id } }\n"})
	var b strings.Builder
	require.NoError(t, campaigns.PrintProblems(&b, loaded.Problems))
	return strings.Join(strings.Fields(b.String()), " ")
}
