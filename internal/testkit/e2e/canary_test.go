package e2e

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// bird is a secret whose two ends survive every notation, around characters that none
// leaves as they are: each end is looked for, so that no way to escape it is missed.
type bird string

func (b bird) head() string  { return string(b) + "Hd7k" }
func (b bird) end() string   { return string(b) + "Tl3w" }
func (b bird) value() string { return b.head() + `/+"<&é'%>… ` + b.end() }

const (
	birdEnv, birdFile, birdMounted = bird("Robin"), bird("Finch"), bird("Heron")
	birdHook, birdGranted          = bird("Stork"), bird("Eagle")
)

var birds = []bird{birdEnv, birdFile, birdMounted, birdHook, birdGranted}

// aviary is a house whose worker and commands have secrets, in a folder of its own.
type aviary struct {
	*house
	folder, key string
	env         []string
	places      map[string]int // what was searched, in bytes
	found       []string
}

func newAviary(t *testing.T) *aviary {
	t.Helper()
	a := &aviary{house: newHouse(t), folder: t.TempDir(), places: map[string]int{}}
	a.key = base64.StdEncoding.EncodeToString([]byte("Raven-key-of-32-bytes-for-canary"))
	a.secret("file", birdFile.value())
	a.secret("keys", "k1 "+a.key+"\n")
	mount := filepath.Join(a.folder, "mounted") // as Kubernetes does
	require.NoError(t, os.MkdirAll(filepath.Join(mount, "..2026_05_03"), 0o700))
	a.secret("mounted/..2026_05_03/token", birdMounted.value())
	require.NoError(t, os.Symlink("..2026_05_03", filepath.Join(mount, "..data")))
	require.NoError(t, os.Symlink("..data/token", filepath.Join(mount, "token")))
	a.env = []string{"VENDEMMIA_SECRET_ROBIN=" + birdEnv.value(), "VENDEMMIA_SECRET_STORK=" + birdHook.value(), "VENDEMMIA_SECRET_DIR=" + a.folder}
	return a
}

func (a *aviary) secret(name, value string) {
	a.t.Helper()
	require.NoError(a.t, os.WriteFile(filepath.Join(a.folder, name), []byte(value), 0o600))
}

// TestCanary: secrets of every kind are used in every way, with sources that repeat them
// wherever they can, and stand nowhere that a person or a program can read afterwards.
func TestCanary(t *testing.T) {
	t.Parallel()
	a := newAviary(t)
	src := newParrot(t, birdGranted.value())
	programs := a.programs()
	o := a.hire()
	o.Env = a.env
	w, err := a.startWorker(o, "--exec-dir", programs, "--log-level", "debug")
	require.NoError(t, err)
	a.write("canary.yaml", canaryFileOf(src.URL))
	a.cli("campaigns", "apply", "canary.yaml", "--yes")
	for _, name := range []string{"cages", "hook"} {
		err := a.start(name+"-1", steps.Start{Campaign: name}).Get(a.within(2*time.Minute), nil)
		require.Error(t, err, "sources that refuse everything")
		a.search("errors of workflows", err.Error())
	}
	a.search("histories", a.histories())
	for where, text := range a.traces(o.Health) {
		a.search(kindOf(where), text)
	}
	require.NoError(t, w.Stop(a.within(time.Minute)))

	a.env = append(a.env, "VENDEMMIA_PAYLOAD_KEYS=${secret:file:keys}") // again, from checkpoints, encrypted
	o = a.hire()
	o.Env = a.env
	_, err = a.startWorker(o, "--exec-dir", programs, "--log-level", "debug")
	require.NoError(t, err)
	a.cli("trigger", "--campaign", "cages", "--yes")
	a.cli("campaigns", "try", "canary.yaml", src.URL+"/feed/oauth2", "--campaign", "cages", "--allow-network", "127.0.0.0/8")
	a.cli("campaigns", "validate", "canary.yaml", "--probe", "--allow-network", "127.0.0.0/8")

	for _, b := range birds {
		require.True(t, strings.Contains(src.got(), b.value()), "%s was used", b)
	}
	a.screens()
	for where, text := range a.traces(o.Health) {
		a.search(kindOf(where), text)
	}
	a.search("cells of the store, unpacked", a.cells())
	for _, place := range slices.Sorted(maps.Keys(a.places)) {
		t.Logf("%-40s %9d bytes", place, a.places[place])
	}
	require.Empty(t, a.found, "%d places with a secret", len(a.found))
}

// canaryFileOf has an entry for each way to sign in and each way to answer.
func canaryFileOf(base string) string {
	var b strings.Builder
	b.WriteString("project: e2e\nhosts: { 127.0.0.1: { connections: 4 } }\ndefaults: { retry: [ { times: 0 } ], notify: [ { to: \"" + base + "/hook/${secret:env:VENDEMMIA_SECRET_STORK}?k=${secret:env:VENDEMMIA_SECRET_STORK}\" } ] }\n")
	b.WriteString("campaigns:\n  hook: { fetcher: feed, params: { url: " + base + "/broken/hook } }\n  cages:\n    fetchers:\n")
	for _, auth := range [][2]string{
		{"basic", `{ basic: { user: bob, password: "${secret:env:VENDEMMIA_SECRET_ROBIN}" } }`},
		{"bearer", `{ bearer: "${secret:file:file}" }`},
		{"header", `{ header: { name: X-Key, value: "${secret:file:mounted/token}" } }`},
		{"oauth2", `{ oauth2: { access_token_url: ` + base + `/token, client_id: us, client_secret: "${secret:env:VENDEMMIA_SECRET_ROBIN}" } }`},
		{"denied", `{ oauth2: { access_token_url: ` + base + `/denied, client_id: us, client_secret: "${secret:env:VENDEMMIA_SECRET_ROBIN}" } }`},
	} {
		for _, path := range []string{"feed", "refuse", "moved", "lost", "broken"} {
			fmt.Fprintf(&b, "      - { name: %s-%s, fetcher: feed, auth: %s, params: { url: %s/%s/%s } }\n", auth[0], path, auth[1], base, path, auth[0])
		}
	}
	for _, path := range []string{"feed", "refuse", "moved", "lost", "broken"} {
		fmt.Fprintf(&b, "      - { name: param-%s, fetcher: feed, params: { url: \"%s/%s/param?k=${secret:file:mounted/token}\" } }\n", path, base, path)
	}
	for _, program := range []string{"good", "failing", "garbage"} {
		fmt.Fprintf(&b, "      - { name: exec-%[1]s, fetcher: exec, params: { program: %[1]s, config: { key: \"${secret:env:VENDEMMIA_SECRET_ROBIN}\", other: [ \"${secret:file:mounted/token}\" ] } } }\n", program)
	}
	b.WriteString("      - { name: exec-tap, fetcher: exec, params: { program: tap, protocol: singer, config: { key: \"${secret:file:file}\" } } }\n")
	return b.String()
}

// programs repeat what they are told: in a record, in one that cannot be read, as an
// error, on stderr with a status, as a line that is no message.
func (a *aviary) programs() string {
	a.t.Helper()
	dir := filepath.Join(a.dir, "programs")
	require.NoError(a.t, os.Mkdir(dir, 0o755))
	for name, body := range map[string]string{
		"good":    `printf '{"type":"document","id":"1","title":"t","fields":%s}\n{"type":"document","published":"soon","id":"2","fields":%s}\n{"type":"warning","message":"w"}\n{"type":"checkpoint","value":%s}\n' "$line" "$line" "$line"; printf '%s' "$line" >&2`,
		"failing": `printf '%s' "$line" >&2; exit 3`,
		"garbage": `printf '%s\n' "$line"`,
	} {
		require.NoError(a.t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nIFS= read -r line\n"+body+"\n"), 0o755))
	}
	require.NoError(a.t, os.WriteFile(filepath.Join(dir, "tap"), []byte("#!/bin/sh\ncat \"$2\" >&2\nprintf '{\"type\":\"SCHEMA\",\"stream\":\"s\",\"schema\":{},\"key_properties\":[\"n\"]}\\n{\"type\":\"RECORD\",\"stream\":\"s\",\"record\":{\"n\":1,\"c\":%s}}\\n' \"$(tr -d '\\n' < \"$2\")\"\nexit 1\n"), 0o755))
	return dir
}

// cli runs a command with the secrets, searches what it prints and returns its output.
func (a *aviary) cli(args ...string) []byte {
	a.t.Helper()
	cmd := exec.CommandContext(a.within(time.Minute), a.cliBinary, args...)
	var out, problems bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.dir, &out, &problems
	cmd.Env = append(append(dev.Environment(a.server.Address), "VENDEMMIA_STORE="+a.storeAddress()), a.env...)
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); !ended {
		require.NoError(a.t, err)
	}
	assert.NotEqual(a.t, 2, cmd.ProcessState.ExitCode(), "%v: %s", args, problems.String())
	a.search("starter "+strings.Join(args[:min(2, len(args))], " "), out.String()+problems.String())
	return out.Bytes()
}

// screens are all commands that show something, in text and in JSON.
func (a *aviary) screens() {
	a.t.Helper()
	lines := []string{"documents list", "documents export", "documents count", "documents changes", "items list", "failures list", "checkpoints list", "campaigns list", "campaigns show cages", "campaigns export cages", "runs list", "runs show -a cages-1", "why cages", "why cages-1", "why hook-1", "hosts list", "hosts show 127.0.0.1", "outbox list", "events --all", "workers", "config", "stats items"}
	for _, line := range lines {
		a.cli(strings.Fields(line)...)
		a.cli(append(strings.Fields(line), "-o", "json")...)
	}
	items := a.list("items list --campaign cages -o json", "key")
	require.NotEmpty(a.t, items)
	for n, item := range items {
		a.cli("items", "show", item, "-o", []string{"text", "json"}[n%2])
	}
	documents := a.list("documents list --limit 10 -o json", "document.id")
	require.NotEmpty(a.t, documents)
	for _, id := range documents {
		for _, flag := range []string{"--body", "--raw", "--field=title"} {
			a.cli("documents", "get", id, flag)
		}
	}
	ids := a.list("failures list -o json", "id")
	require.NotEmpty(a.t, ids, "records were set aside")
	for _, id := range ids {
		a.cli("failures", "show", "q-"+id)
		a.cli("failures", "show", "q-"+id, "--body")
	}
}

// cells are all values of all tables of the store, and what is packed in them.
func (a *aviary) cells() string {
	a.t.Helper()
	db, err := sql.Open("sqlite", strings.TrimPrefix(a.storeAddress(), "sqlite:"))
	require.NoError(a.t, err)
	defer db.Close()
	var all strings.Builder
	for _, table := range cellsOf(a.t, db, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		for _, cell := range cellsOf(a.t, db, `SELECT * FROM "`+string(table)+`"`) {
			all.Write(cell)
			all.WriteByte('\n')
			all.Write(unpacked(a.t, cell))
		}
	}
	require.Contains(a.t, all.String(), "${secret:env:VENDEMMIA_SECRET_ROBIN}", "references stand in the place of values")
	require.Contains(a.t, all.String(), "${secret:auth:token}")
	return all.String()
}

func cellsOf(t *testing.T, db *sql.DB, query string) (all [][]byte) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	row, into := make([]sql.RawBytes, len(names)), make([]any, len(names))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		require.NoError(t, rows.Scan(into...))
		for _, cell := range row {
			all = append(all, bytes.Clone(cell))
		}
	}
	require.NoError(t, rows.Err())
	return all
}

// unpacked are all frames of zstd in some bytes.
func unpacked(t *testing.T, b []byte) (all []byte) {
	t.Helper()
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	require.NoError(t, err)
	defer dec.Close()
	for {
		at := bytes.Index(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
		if at < 0 {
			return all
		}
		out, _ := dec.DecodeAll(b[at:], nil) // up to what is no frame any more
		all, b = append(append(all, out...), '\n'), b[at+4:]
	}
}

// search looks for the ends of all secrets, also in base64 and in hex.
func (a *aviary) search(place, text string) {
	a.places[place] += len(text)
	ends := []string{a.key, "Raven-key"}
	for _, b := range birds {
		ends = append(ends, b.head(), b.end())
	}
	for _, end := range ends {
		for _, form := range append(inBase64(end), end, hex.EncodeToString([]byte(end))) {
			if at := strings.Index(text, form); at >= 0 {
				a.found = append(a.found, fmt.Sprintf("%s: %s: %q", place, end, text[max(0, at-200):min(len(text), at+200)]))
				a.t.Errorf("%s", a.found[len(a.found)-1])
			}
		}
	}
}

// kindOf names a place of traces.
func kindOf(path string) string {
	switch base := filepath.Base(path); {
	case strings.HasPrefix(base, "vendemmia.db"):
		return "files of the store"
	case strings.HasPrefix(base, "temporal.db"):
		return "files of Temporal"
	case strings.HasSuffix(base, ".log"):
		return "logs"
	default:
		return base
	}
}

// list runs a command and returns a member of each of its records; a dot goes into a
// member.
func (a *aviary) list(line, member string) (all []string) {
	a.t.Helper()
	var found []map[string]any
	out := a.cli(strings.Fields(line)...)
	require.NoError(a.t, json.Unmarshal(out, &found), "%s", out)
	outer, inner, nested := strings.Cut(member, ".")
	for _, r := range found {
		value := r[outer]
		if nested {
			value = value.(map[string]any)[inner]
		}
		all = append(all, fmt.Sprint(value))
	}
	return all
}
