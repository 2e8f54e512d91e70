package cli

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/checkpoints"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// vufind is a folder of VuFindHarvest: two repositories that were harvested, one
// with two sets that never was.
func (b *bench) vufind() {
	b.file("vufind/oai.ini", "[town]\nurl = https://town.example.org/oai\nsslverifypeer = false\ntimeout = 90\n\n"+
		"[theses]\nurl = https://theses.example.org/oai\nset[] = phd\nset[] = master\n\n[maps]\nurl = https://maps.example.org/oai\n")
	b.file("vufind/town/last_harvest.txt", "2026-05-01")
	b.file("vufind/maps/last_harvest.txt", "2026-04-30")
}

func TestImportVuFind(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = archiveSet(t)
	b.vufind()
	r := b.run("import", "vufind", "vufind/oai.ini")
	require.Equal(t, program.ExitOK, r.code, r.err)
	golden(t, "import_vufind", r.out+"-- stderr --\n"+r.err)

	b.ok("init", "--yes")
	r = b.run("import", "vufind", "vufind/oai.ini", "--campaign", "libraries", "--write", "campaigns/oai.yaml", "--positions", "from.csv")
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Empty(t, r.out)
	golden(t, "import_vufind_write", r.err)
	require.Contains(t, b.ok("campaigns", "validate", "campaigns/oai.yaml"), "1 campaign in 1 file: nothing wrong.")
	b.ok("campaigns", "apply", "campaigns/oai.yaml")
	require.Contains(t, b.ok("checkpoints", "set", "--campaign", "libraries", "--file", "from.csv"), "2 checkpoints set")
	require.Contains(t, b.ok("checkpoints", "show", "libraries/oaipmh/town"), `{"from":"2026-05-01","set":""}`)

	r = b.run("import", "vufind", "vufind/oai.ini", "--write", "other.yaml", "--positions", "from.csv")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "from.csv is there already; nothing was written")
	require.NoFileExists(t, b.dir+"/other.yaml")
}

func TestImportAppliesPositions(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = archiveSet(t)
	b.vufind()
	b.ok("init", "--yes")
	require.Contains(t, b.run("import", "vufind", "vufind/oai.ini", "--apply").err, "campaign repositories: not applied")
	require.Equal(t, program.ExitOK, b.run("import", "vufind", "vufind/oai.ini", "--write", "campaigns/oai.yaml").code)
	b.ok("campaigns", "apply", "campaigns/oai.yaml")
	r := b.run("import", "vufind", "vufind/oai.ini", "--apply", "-o", "json")
	require.Equal(t, program.ExitOK, r.code, r.err)
	var told []checkpoints.Move
	require.NoError(t, json.Unmarshal([]byte(r.out), &told))
	require.Len(t, told, 2)
	require.Contains(t, r.err, "Not taken over:")

	b.file("vufind/oai.ini", "[elsewhere]\nurl = https://x.example.org/oai\n")
	b.file("vufind/elsewhere/last_harvest.txt", "2026-05-01")
	r = b.run("import", "vufind", "vufind/oai.ini", "--apply")
	require.Equal(t, program.ExitUsage, r.code, "an item that the campaign does not have")
	require.Contains(t, r.out, "item elsewhere: campaign repositories as it was applied has none")
}

// TestImportWithTheFetcherThatComes walks the whole way with the real one.
func TestImportWithTheFetcherThatComes(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = fetchers.Builtin()
	b.file("oai.ini", "[town]\nurl = https://town.example.org/oai\nset[] = a\nset[] = b\nfrom = 2020-01-01\nuntil = 2030-01-01\ndateGranularity = YYYY-MM-DDThh:mm:ssZ\nmetadataPrefix = marc21\n")
	b.file("town/last_harvest.txt", "2026-05-01T10:00:00Z")
	b.ok("init", "--yes")
	for _, args := range [][]string{
		{"import", "vufind", "oai.ini", "--write", "campaigns/oai.yaml", "--positions", "from.csv"},
		{"campaigns", "validate", "campaigns/oai.yaml"},
		{"campaigns", "apply", "campaigns/oai.yaml"},
		{"checkpoints", "set", "--campaign", "repositories", "--file", "from.csv"},
	} {
		r := b.run(args...)
		require.Equal(t, program.ExitOK, r.code, "%v: %s%s", args, r.out, r.err)
	}
	require.Contains(t, b.ok("checkpoints", "show", "repositories/oaipmh/town:b"), `"from":"2026-05-01T10:00:00Z"`)
}

func TestImportMetha(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = archiveSet(t)
	for folder, file := range map[string]string{
		"#oai_dc#https://town.example.org/oai":      "2026-05-01-00000000.xml.gz",
		"maps#oai_dc#https://town.example.org/oai":  "2026-04-30-00000003.xml.zst",
		"#marcxml#https://theses.example.org/oai":   "2026-04-30-00000003.xml-tmp-7",
		"#marcxml#https://u:pw@old.example.org/oai": "2026-04-29-00000000.xml.gz",
	} {
		b.file("home/.cache/metha/"+base64.RawURLEncoding.EncodeToString([]byte(folder))+"/"+file, "")
	}
	require.Contains(t, b.run("import", "metha").err, "say where")
	b.env["HOME"] = b.dir + "/home"
	r := b.run("import", "metha")
	require.Equal(t, program.ExitOK, r.code, r.err)
	golden(t, "import_metha", r.out+"-- stderr --\n"+r.err)
	b.env["METHA_DIR"] = "home/.cache/metha"
	var told checkpoints.Taken
	require.NoError(t, json.Unmarshal([]byte(b.ok("import", "metha", "-o", "json")), &told))
	require.Len(t, told.Items, 4)
	require.Len(t, told.Positions, 3)
	require.Len(t, told.NotTaken, 2)
	b.file("c.yaml", told.YAML)
	require.Contains(t, b.ok("campaigns", "validate", "c.yaml"), "nothing wrong")
}

func TestImportMistakes(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.file("empty.ini", "; nothing\n")
	b.vufind()
	require.Contains(t, b.run("import", "vufind", "nowhere.ini").err, "nowhere.ini")
	require.Contains(t, b.run("import", "vufind", "empty.ini").err, "there is nothing to take over")
	require.Contains(t, b.run("import", "metha", "nowhere").err, "base folder of metha")
	require.Contains(t, b.run("import", "vufind", "vufind/oai.ini", "--campaign", "My Campaign").err, "small letters")
	require.Contains(t, b.run("import", "vufind", "vufind/oai.ini", "--write", "a.csv").err, "two files of one name")
}
