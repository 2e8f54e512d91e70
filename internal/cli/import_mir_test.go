package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/mir"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// mirCrontab is a crontab as it stands in Mir's notes: names, lists, steps, params
// that are not JSON, two lines that fire every minute, text around it all.
const mirCrontab = `Un esempio di tabella di schedulazione:
#---------------------------------------------------------------------------
0 */2 * * *         mir-acq-scheduler.pl --campaign news        --processors 10
0 */6 * * *         mir-acq-scheduler.pl --campaign weather     --processors 3
* 0   * * *         mir-acq-scheduler.pl --fetcher Twitter      --params "{channel:@Genova}"
* 0   * * *         mir-acq-scheduler.pl --fetcher Instagram    --params "{...}"
# La prima Serie Speciale e' pubblicata tutti i Mercoledi...
0 18  * * *         mir-acq-scheduler.pl --fetcher GU::SerieGenerale
0 18  * * wed       mir-acq-scheduler.pl --fetcher GU::CorteCostituzionale
0 18  * * mon,thu   mir-acq-scheduler.pl --fetcher GU::UnioneEuropea
0 18  * * sat       mir-acq-scheduler.pl --fetcher GU::Regioni
0 18  * * tue,fri   mir-acq-scheduler.pl --fetcher GU::concorsi
0 18  * * 1,3,5     mir-acq-scheduler.pl --fetcher GU::Contratt
#---------------------------------------------------------------------------
Nel caso sia definita una campagna, lo script preleva la lista di fetchers
`

const mirDocuments = `[{"tag":"ACQ","fetchers":[
  {"campaign":"weather","ns":"WU","params":{"city":"Genoa","country":"IT"}},
  {"campaign":"news","ns":"RssReader","split":0,"params":[
    {"label":"Cronaca","url":"http://www.example.org/cronaca.xml"},
    {"label":"Economia","url":"http://www.example.org/economia.xml"},
    {"params":{"label":"Perl","url":"https://jobs.example.org/rss?country=United Kingdom"}},
    {"label":"Politica","url":"http://www.example.org/economia.xml"},
    {"label":"Vecchio","url":"https://u:pw@old.example.org/rss"},
    {"label":"Nulla","uri":"http://www.example.org/x.xml"}]}]},
 {"tag":"SCO","host":"localhost","port":5000}]
{"tag":"campaign","campaign":"files","params":{"fetchers":[{"ns":"FS","params":{"node":"localhost"}},
  {"ns":"RSS","params":{"url":"http://www.example.org/files.xml"}}]}}
`

func mirBench(t *testing.T) *bench {
	t.Helper()
	b := emptyBench(t)
	b.set = fetchers.Builtin()
	b.file("crontab.txt", mirCrontab)
	b.file("system.json", mirDocuments)
	return b
}

func TestImportCrontabOfMir(t *testing.T) {
	t.Parallel()
	b := mirBench(t)
	r := b.run("import", "crontab", "crontab.txt")
	require.Equal(t, program.ExitOK, r.code, r.err)
	golden(t, "import_crontab", r.out+"-- stderr --\n"+r.err)
}

func TestImportCrontabWithItsDocuments(t *testing.T) {
	t.Parallel()
	b := mirBench(t)
	b.ok("init", "--yes")
	r := b.run("import", "crontab", "crontab.txt", "--mir", "system.json", "--write", "campaigns/mir.yaml", "--project", "law-monitor")
	require.Equal(t, program.ExitOK, r.code, r.err)
	text, err := os.ReadFile(filepath.Join(b.dir, "campaigns/mir.yaml"))
	require.NoError(t, err)
	list, err := os.ReadFile(filepath.Join(b.dir, "campaigns/mir-files-feed.csv"))
	require.ErrorIs(t, err, os.ErrNotExist, string(list))
	golden(t, "import_crontab_documents", string(text)+"-- stderr --\n"+r.err)
	require.NotContains(t, string(text)+r.out+r.err, "pw@", "a password is not copied")
	require.Contains(t, b.ok("campaigns", "validate", "campaigns/mir.yaml"), "9 campaigns in 1 file: no error")

	r = b.run("import", "crontab", "crontab.txt", "--write", "campaigns/mir.yaml")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "campaigns/mir.yaml is there already; nothing was written")
}

// TestImportedListsBecomeItems: with no password among the items they go to a list
// beside the file, with their labels.
func TestImportedListsBecomeItems(t *testing.T) {
	t.Parallel()
	b := mirBench(t)
	b.file("news.json", `{"tag":"ACQ","fetchers":[{"campaign":"news","ns":"RssReader","split":1,"params":[
	 {"label":"Cronaca, nera","url":"http://www.example.org/a.xml"},{"url":"http://www.example.org/b.xml"}]}]}`)
	r := b.run("import", "mir", "news.json", "--write", "mir.yaml")
	require.Equal(t, program.ExitOK, r.code, r.err)
	list, err := os.ReadFile(filepath.Join(b.dir, "mir-news.csv"))
	require.NoError(t, err)
	require.Equal(t, "label,url\n\"Cronaca, nera\",http://www.example.org/a.xml\n,http://www.example.org/b.xml\n", string(list))
	require.Contains(t, b.ok("campaigns", "validate", "mir.yaml"), "1 campaign in 1 file: nothing wrong.")
	var told mir.Taken
	require.NoError(t, json.Unmarshal([]byte(b.ok("import", "mir", "news.json", "-o", "json")), &told))
	require.Equal(t, []string{"news"}, told.Campaigns)
	require.Empty(t, told.NotTaken)
}

func TestImportCrontabMistakes(t *testing.T) {
	t.Parallel()
	b := mirBench(t)
	b.file("prose.txt", "Introduzione\n------------\n\n0 25 * * * mir-acq-scheduler.pl --campaign x\n0 1 * * * /usr/bin/backup\n")
	b.file("broken.json", "[{\"tag\":\n")
	r := b.run("import", "crontab", "prose.txt")
	require.Equal(t, program.ExitError, r.code)
	for _, text := range []string{"nothing in it starts a fetcher of Mir; nothing was written", "not a line of a crontab (2", "must be 0 to 23", "not a job of Mir"} {
		require.Contains(t, r.err, text)
	}
	for says, args := range map[string][]string{
		"nowhere.txt":         {"crontab", "nowhere.txt"},
		"one of vixie":        {"crontab", "crontab.txt", "--dialect", "quartz"},
		"not a time zone":     {"crontab", "crontab.txt", "--time-zone", "Mars/Olympus"},
		"not JSON from line ": {"mir", "broken.json"},
	} {
		r := b.run(append([]string{"import"}, args...)...)
		require.Equal(t, program.ExitUsage, r.code, says)
		require.Contains(t, r.err, says)
	}
}
