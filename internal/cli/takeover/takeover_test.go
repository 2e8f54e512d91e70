package takeover

import (
	"encoding/base64"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "no golden file: run with -update and read it")
	require.Equal(t, string(want), got)
}

const oaiINI = `; what the library of an invented town collects
stray = 1
[town]
url = "https://oai.town.example.org/request" ; with a comment
metadataPrefix = marc21
timeout = 120
idSearch[] = "/^oai:town:/"
verbose = false
sslverifypeer = true
dateGranularity = auto

[theses]
url = http://alma:geheim@theses.example.org/oai
set[] = phd
set[] = master
set[] = phd
httpUser = alma
httpPass = "ge;heim\"
mehr"
sslverifypeer = false
combineRecords = true
from = 2020-01-01

[fresh]
url = https://fresh.example.org/oai
set =
from = 2024-03-01
until = 2025-01-01
dateGranularity = YYYY-MM-DD
[late]
url = https://late.example.org/oai
from = lately
dateGranularity = "YYYY-MM-DDThh:mm:ssZ"
[early]
url = https://early.example.org/oai
dateGranularity = weekly
frobnicate = 7
timeout = ever

[halfway]
url = https://halfway.example.org/oai
timeout = 30
[beginning]
url = https://beginning.example.org/oai
[nowhere]
metadataPrefix = oai_dc
[town]
url = https://other.example.org/oai
[odd]
url = https://odd.example.org/oai
[../up]
url = https://up.example.org/oai
[Parent_Config]
path = ../oai.ini
not a setting
[unclosed
`

func vufindState() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"town/last_harvest.txt":      file("2026-05-01\n"),
		"theses/last_harvest.txt":    file("2026-04-30T12:30:00Z"),
		"halfway/last_harvest.txt":   file("2026-03-01"),
		"halfway/last_state.txt":     file("\ttoken!7\t2026-03-01\t2026-04-01"),
		"beginning/last_state.txt":   file("phd\ttoken\t\t2026-04-01"),
		"odd/last_harvest.txt":       file("yesterday"),
		"odd/last_state.txt/no.file": file(""),
	}
}

// told is a Harvest as a screen.
func told(t *testing.T, h Harvest) string {
	t.Helper()
	var b strings.Builder
	for _, list := range []string{"", "repositories.csv"} {
		text, err := h.Campaign("repositories", "elsewhere", list)
		require.NoError(t, err)
		b.Write(text)
		b.WriteString("--\n")
	}
	require.NoError(t, h.WriteList(&b))
	b.WriteString("--\n")
	require.NoError(t, WritePositions(&b, h.Positions()))
	b.WriteString("--\n")
	require.NoError(t, campaigns.PrintPlaces(&b, h.Notes))
	return b.String()
}

func TestVuFind(t *testing.T) {
	t.Parallel()
	h := VuFind(oaiINI, "oai.ini", vufindState())
	text := told(t, h)
	golden(t, "vufind.golden", text)
	require.NotContains(t, text, "geheim", "passwords are not repeated")
}

func methaFolder(set, prefix, address string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(set + "#" + prefix + "#" + address))
}

func TestMetha(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"about.txt": &fstest.MapFile{}}
	put := func(folder string, files ...string) {
		for _, f := range files {
			base[folder+"/"+f] = &fstest.MapFile{}
		}
	}
	put(methaFolder("", "oai_dc", "http://export.example.org/oai2"), "2026-04-30-00000000.xml.gz", "2026-05-01-00000000.xml.gz", "2026-05-01-00000001.xml.gz", "2026-05-02-00000000.xml-tmp-123")
	put(methaFolder("cs:AI", "oai_dc", "http://export.example.org/oai2"), "2026-05-03-00000000.xml.zst")
	put(methaFolder("", "marcxml", "https://repo.example.org:8443/oai?instance=a#b"), "2026-01-31-100000000.xml", "9999-99-99-00000000.xml")
	put(methaFolder("", "oai_dc", "https://u:secret@empty.example.org/oai"), "readme")
	put(methaFolder("", "oai_dc", "ftp://old.example.org/oai"), "2026-05-03-00000000.xml.gz")
	put("not-base64!", "x")
	put(base64.RawURLEncoding.EncodeToString([]byte("one#two")), "x")
	base["v2/ab/cd/abcd/meta.json"] = &fstest.MapFile{Data: []byte(`{"layout":"v2","base_url":"https://new.example.org/oai","groups":[{"format":"oai_dc"},{"format":"marcxml","set":"books"}]}`)}
	base["v2/ab/ce/abce/meta.json"] = &fstest.MapFile{Data: []byte(`{`)}
	h, err := Metha(base)
	require.NoError(t, err)
	text := told(t, h)
	golden(t, "metha.golden", text)
	require.NotContains(t, text, "secret")
	_, err = Metha(os.DirFS("no/such/folder"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// wellFormed is what a Harvest promises whatever it was read from.
func wellFormed(t *testing.T, h Harvest) {
	t.Helper()
	keys := map[string]bool{}
	for _, s := range h.Sources {
		require.False(t, keys[s.Key], "key %q twice", s.Key)
		keys[s.Key] = true
		require.NotEmpty(t, s.Key)
		require.True(t, strings.HasPrefix(s.URL, "http"), s.URL)
		if s.From != "" {
			require.Equal(t, s.From, moment(s.From))
		}
	}
	if len(h.Sources) > 0 {
		told(t, h)
		readsBack(t, h)
	}
}

// readsBack: what was written as YAML is what was meant.
func readsBack(t *testing.T, h Harvest) {
	t.Helper()
	text, err := h.Campaign("repositories", "elsewhere", "")
	require.NoError(t, err)
	var back struct {
		Campaigns map[string]struct {
			Split struct {
				Items []struct{ ID, URL, Prefix, Set string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &back), string(text))
	items := back.Campaigns["repositories"].Split.Items
	require.Len(t, items, len(h.Sources))
	for i, s := range h.Sources {
		require.Equal(t, s.Key, items[i].ID, string(text))
		require.Equal(t, s.URL, items[i].URL, string(text))
		require.Equal(t, s.Set, items[i].Set, string(text))
	}
}

func FuzzVuFind(f *testing.F) {
	f.Add(oaiINI, "2026-05-01", "a\tb\t2026-05-01\tc")
	f.Add("[a]\nurl=http://x/\nset[]=1\nset[]=2\n[a:1]\nurl=http://x/\n", "", "")
	f.Add("[0123]\nurl=http://x/\nset=yes\n[2026-05-01]\nurl=http://x/?a: b\nset=\"- #x\"\n[null]\nurl=http://x/\nset='&a'\n[1e3]\nurl=http://x/\nset=@", "", "")
	f.Add("[a]\nurl=\"http://x\nmore\n", "\xff", "\t\t")
	f.Fuzz(func(t *testing.T, ini, last, state string) {
		files := fstest.MapFS{}
		for _, name := range []string{"a", "town"} {
			files[name+"/last_harvest.txt"] = &fstest.MapFile{Data: []byte(last)}
			files[name+"/last_state.txt"] = &fstest.MapFile{Data: []byte(state)}
		}
		wellFormed(t, VuFind(ini, "oai.ini", files))
	})
}

func FuzzMetha(f *testing.F) {
	f.Add(methaFolder("", "oai_dc", "http://export.example.org/oai2"), "2026-05-01-00000000.xml.gz", `{"base_url":"http://x/","groups":[{"format":"a"}]}`)
	f.Add("AAAA", "2026-05-01-.xml", "")
	f.Add(methaFolder("#", "\n", "http://x/#"), "x", "{}")
	f.Fuzz(func(t *testing.T, folder, file, meta string) {
		files := fstest.MapFS{"v2/a/b/c/meta.json": &fstest.MapFile{Data: []byte(meta)}}
		if fs.ValidPath(folder) && fs.ValidPath(file) {
			files[folder+"/"+file] = &fstest.MapFile{}
		}
		h, err := Metha(files)
		require.NoError(t, err)
		wellFormed(t, h)
	})
}

func TestWhatWasTakenOverRefersToNoSecret(t *testing.T) {
	t.Parallel()
	h := Harvest{Sources: []Source{{Key: "a", URL: "https://a.example.org/oai?k=${secret:env:TOKEN}", Prefix: "${secret:env:TOKEN}"}}}
	text, err := h.Campaign("a", "elsewhere", "")
	require.NoError(t, err)
	require.Contains(t, string(text), "?k=$${secret:env:TOKEN}")
	require.NotRegexp(t, `[^$]\$\{secret`, string(text))
}
