package export

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// feed is a change feed in memory.
type feed struct {
	id    string
	list  []rows.Change
	blobs map[string]string
}

func (f *feed) Feed(context.Context) (rows.Feed, error) { return rows.Feed{ID: f.id, Common: -1}, nil }

func (f *feed) LastChange(context.Context) (int64, error) {
	if len(f.list) == 0 {
		return 0, nil
	}
	return f.list[len(f.list)-1].Number, nil
}

func (f *feed) Changes(ctx context.Context, filter rows.ChangeFilter) iter.Seq2[rows.Change, error] {
	return func(yield func(rows.Change, error) bool) {
		for _, ch := range f.list {
			if ctx.Err() != nil {
				yield(rows.Change{}, ctx.Err())
				return
			}
			wanted := ch.Number > filter.After && (filter.Campaign == "" || filter.Campaign == ch.Document.Campaign)
			if wanted && !yield(ch, nil) {
				return
			}
		}
	}
}

func (f *feed) Blob(_ context.Context, digest string) (io.ReadCloser, error) {
	text, ok := f.blobs[digest]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// add is a change of a document: "" deletes it.
func (f *feed) add(id, mediaType, body string) {
	n := int64(len(f.list) + 1)
	version := 1
	for _, ch := range f.list {
		if ch.Document.Line.ID == id {
			version++
		}
	}
	f.list = append(f.list, rows.Change{Number: n, Op: "changed", At: time.Date(2026, 5, 1, int(n), 0, 0, 0, time.UTC), Document: rows.Document{
		Collection: "theses", Campaign: "theses", Version: version, Change: n,
		Line: rows.Line{ID: id, Title: "A & B", MediaType: mediaType, Body: body, Deleted: body == ""},
	}})
}

func record(n int) string { return fmt.Sprintf("<record>%d</record>", n) }

func options(t *testing.T) Options { return Options{Dir: t.TempDir(), Layout: Flat} }

func run(t *testing.T, f Feed, o Options) Result {
	t.Helper()
	r, err := Run(t.Context(), f, o)
	require.NoError(t, err)
	return r
}

// tree is what a consumer sees: names without digests, with their contents.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == own:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return out
}

func names(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, text := range tree(t, root) {
		dash, dot := strings.LastIndex(name, "-"), strings.LastIndex(name, ".")
		require.Greater(t, dot, dash, name)
		out[name[:dash]+name[dot:]] = text
	}
	return out
}

func TestFiles(t *testing.T) {
	t.Parallel()
	f := &feed{id: "7f3a", blobs: map[string]string{"sha256:big": "%PDF\x00"}}
	f.add("oai:x:1", "text/xml", record(1))
	f.add("oai:x:2", "application/json; charset=utf-8", "{}")
	f.add("../../etc/passwd", "", "plain")
	f.add("oai:x:gone", "text/xml", record(3))
	f.add("oai:x:gone", "text/xml", "")
	f.add(strings.Repeat("é/", 200), "application/marcxml+xml", record(4))
	f.add("paper", "application/pdf", "-")
	f.list[6].Document.Line.Body, f.list[6].Document.Line.BodyRef = "", "sha256:big"
	f.list = append(f.list, rows.Change{Number: 8, Document: rows.Document{Line: rows.Line{ID: "bare", Title: "A & B"}}})
	o := options(t)
	res := run(t, f, o)
	require.Equal(t, Result{Changes: 8, Files: 6, Deletes: 1, After: 8, Store: "7f3a"}, res)
	got := names(t, o.Dir)
	long := ""
	for name := range got {
		require.Less(t, len(name), 120)
		if strings.HasPrefix(name, "oai_x") || name == "paper.pdf" || name == "bare.json" || name == "etc_passwd.txt" {
			continue
		}
		long = name
	}
	require.Equal(t, map[string]string{
		"oai_x_1.xml": record(1), "oai_x_2.json": "{}", "etc_passwd.txt": "plain", "oai_x_gone.delete": "oai:x:gone", "paper.pdf": "%PDF\x00",
		"bare.json": `{"id":"bare","title":"A & B"}` + "\n", long: record(4),
	}, got)

	require.Equal(t, Result{After: 8, Store: "7f3a"}, run(t, f, o), "nothing has changed since")

	f.add("oai:x:1", "text/html", "<p>now a page</p>")
	f.add("oai:x:2", "application/json", "")
	f.add("oai:x:gone", "text/xml", record(5))
	require.Equal(t, Result{Changes: 3, Files: 2, Deletes: 1, After: 11, Store: "7f3a"}, run(t, f, o))
	got = names(t, o.Dir)
	require.Len(t, got, 7, "each document has one file")
	require.Equal(t, "<p>now a page</p>", got["oai_x_1.html"])
	require.Equal(t, "oai:x:2", got["oai_x_2.delete"])
	require.Equal(t, record(5), got["oai_x_gone.xml"])
}

func TestIdsThatLookAlikeHaveFilesOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := &feed{id: "7f3a"}
	for _, id := range []string{"a:b", "a/b", "a_b", "A_B", ".a_b", "a b", ""} {
		f.add(id, "text/plain", "text of "+id)
	}
	o := options(t)
	run(t, f, o)
	lower := map[string]bool{}
	for name := range tree(t, o.Dir) {
		lower[strings.ToLower(name)] = true
	}
	require.Len(t, lower, len(f.list))
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	f := &feed{id: "7f3a"}
	f.add("a", "text/plain", "one")
	f.add("a", "text/plain", "two")
	f.list[1].At = f.list[0].At.AddDate(0, 0, 1)
	o := options(t)
	o.Layout = Days
	run(t, f, o)
	require.Equal(t, map[string]string{"2026/05/01/a.txt": "one", "2026/05/02/a.txt": "two"}, names(t, o.Dir))
	o = options(t)
	o.Layout = Hash
	run(t, f, o)
	for name := range tree(t, o.Dir) {
		require.Regexp(t, `^[0-9a-f]{2}/[0-9a-f]{2}/a-[0-9a-f]{12}\.txt$`, name)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	f := &feed{id: "7f3a"}
	for n := range 7 {
		f.add(fmt.Sprintf("oai:x:%d", n), "text/xml", xml.Header+"<!-- no --><record xmlns:m=\"urn:m\"><m:a>"+fmt.Sprint(n)+"</m:a></record>\n")
	}
	f.add("oai:x:1", "text/xml", "")
	f.add("oai:x:broken", "text/xml", "<record><a></record>")
	f.add("page", "text/html", "<p>page")
	o := options(t)
	o.Batch = 4
	require.Equal(t, Result{Changes: 10, Files: 3, Deletes: 1, Loose: 1, After: 10, Store: "7f3a"}, run(t, f, o))
	got := tree(t, o.Dir)
	require.ElementsMatch(t, []string{"000000000001.xml", "000000000005.xml", "000000000005.delete", "000000000009.jsonl"}, keys(got))
	require.Equal(t, "oai:x:1\n", got["000000000005.delete"])
	require.Equal(t, 2, strings.Count(got["000000000009.jsonl"], "\n"))
	for _, name := range []string{"000000000001.xml", "000000000005.xml"} {
		var c struct {
			XMLName xml.Name
			Records []struct {
				A string `xml:"urn:m a"`
			} `xml:"record"`
		}
		require.NoError(t, xml.Unmarshal([]byte(got[name]), &c), got[name])
		require.Equal(t, "collection", c.XMLName.Local)
		require.Len(t, c.Records, map[string]int{"000000000001.xml": 4, "000000000005.xml": 3}[name])
	}
	f.add("oai:x:8", "text/xml", record(8))
	require.Equal(t, 1, run(t, f, o).Files)
	require.Contains(t, keys(tree(t, o.Dir)), "000000000011.xml")
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestAFolderBelongsToOneStoreAndOneWay(t *testing.T) {
	t.Parallel()
	f := &feed{id: "7f3a"}
	f.add("a", "text/plain", "one")
	o := options(t)
	o.Campaign = "theses"
	run(t, f, o)
	other := o
	other.Campaign = ""
	_, err := Run(t.Context(), f, other)
	require.ErrorIs(t, err, ErrOther)
	require.ErrorContains(t, err, "was begun with --layout flat --campaign theses")
	_, err = Run(t.Context(), &feed{id: "0000"}, o)
	require.ErrorIs(t, err, ErrReset)
	_, err = Run(t.Context(), &feed{id: "7f3a"}, o)
	require.ErrorIs(t, err, ErrReset, "the store knows less than the folder")

	held, err := openDir(o)
	require.NoError(t, err)
	_, err = Run(t.Context(), f, o)
	require.ErrorIs(t, err, ErrOther)
	require.ErrorContains(t, err, "somebody else is writing")
	require.NoError(t, held.close())
	run(t, f, o)
}

func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{"files": {Layout: Hash}, "batches": {Layout: Flat, Batch: 2}, "days": {Layout: Days}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &feed{id: "7f3a"}
			f.add("a", "text/xml", record(1))
			f.add("b", "text/plain", "b")
			f.add("a", "text/html", "now a page")
			f.add("c", "text/xml", record(2))
			f.add("b", "text/plain", "")
			whole := o
			whole.Dir = t.TempDir()
			run(t, f, whole)
			after := &feed{id: f.id, list: append([]rows.Change{}, f.list...)}
			after.add("d", "text/xml", record(4))
			after.add("a", "text/xml", record(5))
			afterwards := o
			afterwards.Dir = t.TempDir()
			run(t, f, afterwards)
			run(t, after, afterwards)
			for at := 1; ; at++ {
				crashing := o
				crashing.Dir = t.TempDir()
				crash := errors.New("crash")
				var steps atomic.Int64
				crashing.step = func(string) error {
					if steps.Add(1) == int64(at) {
						return crash
					}
					return nil
				}
				_, err := Run(t.Context(), f, crashing)
				if err == nil {
					require.Greater(t, at, 8, "a crash that never was")
					return
				}
				require.ErrorIs(t, err, crash)
				crashing.step = nil
				grown := t.TempDir()
				require.NoError(t, os.CopyFS(grown, os.DirFS(crashing.Dir)))
				run(t, f, crashing)
				require.Equal(t, tree(t, whole.Dir), tree(t, crashing.Dir), "crash at step %d", at)
				left, err := filepath.Glob(filepath.Join(crashing.Dir, own, "new-*"))
				require.NoError(t, err)
				require.Empty(t, left)

				crashing.Dir = grown
				run(t, after, crashing)
				require.Equal(t, contents(t, afterwards.Dir), contents(t, grown), "crash at step %d, and the store has grown meanwhile", at)
			}
		})
	}
}

// contents is how often each record is out, whatever the batch that it is in.
func contents(t *testing.T, dir string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, text := range tree(t, dir) {
		for line := range bytes.Lines([]byte(text)) {
			if l := strings.TrimSpace(string(line)); !strings.HasPrefix(l, "<?xml") && !strings.Contains(l, "collection>") {
				out[l]++
			}
		}
	}
	return maps.Clone(out)
}

func FuzzRoot(f *testing.F) {
	for _, seed := range []string{"<a/>", xml.Header + "<a><b/></a>\n<!-- x -->", "<a/><b/>", "x<a/>", "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>", "<?xml version=\"1.0\" encoding=\"latin1\"?><a>\u00e9</a>", "\ufeff<a/>", "<a></a></b>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		element, ok := root(body)
		if !ok {
			return
		}
		var whole struct {
			Any []struct {
				XMLName xml.Name
			} `xml:",any"`
		}
		text := xml.Header + "<collection>\n" + string(element) + "\n" + string(element) + "\n</collection>\n"
		require.NoError(t, xml.Unmarshal([]byte(text), &whole), text)
		require.Len(t, whole.Any, 2, text)
	})
}

func TestNoNameIsAnOption(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"-rf", "***", "", "../..", "-", "--force", ".hidden", "日本"} {
		ch := rows.Change{Document: rows.Document{Line: rows.Line{ID: id}}}
		require.Regexp(t, "^[A-Za-z0-9]", Flat.base(ch), id)
	}
}
