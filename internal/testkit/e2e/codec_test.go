package e2e

import (
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// keyLine is a line of a keyring.
func keyLine(id string, fill string) string {
	return id + " " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(fill, 32))) + "\n"
}

// encrypted is a house whose keys are in a file of their own folder.
type encrypted struct {
	*house
	folder string
}

func newEncrypted(t *testing.T) encrypted {
	t.Helper()
	e := encrypted{newHouse(t), t.TempDir()}
	e.keys(keyLine("k1", "a"))
	return e
}

// keys replaces the keyring as a whole.
func (e encrypted) keys(text string) {
	e.t.Helper()
	next := filepath.Join(e.folder, ".next")
	require.NoError(e.t, os.WriteFile(next, []byte(text), 0o600))
	require.NoError(e.t, os.Rename(next, filepath.Join(e.folder, "keys")))
}

func (e encrypted) flags() []string {
	return []string{"--payload-keys", "${secret:file:keys}", "--secret-dir", e.folder}
}

// cli runs starter with keys, or without.
func (e encrypted) cli(with bool, args ...string) (string, int) {
	e.t.Helper()
	cmd, out := e.command(args...)
	if with {
		cmd.Env = append(cmd.Env, "VENDEMMIA_PAYLOAD_KEYS=${secret:file:keys}", "VENDEMMIA_SECRET_DIR="+e.folder)
	}
	_ = cmd.Run() // its exit code is looked at
	e.t.Logf("$ starter %s   (exit %d)\n%s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), tail(out.String()))
	return out.String(), cmd.ProcessState.ExitCode()
}

// With keys no history holds what a campaign, its items, errors or summaries say. A worker
// with another key loses nothing: the run waits, says why, and ends once the key is there.
func TestHistoriesAreEncrypted(t *testing.T) {
	t.Parallel()
	e := newEncrypted(t)
	src := newSource(t, 3, 1, 2, 0)
	e.work(e.flags()...)
	e.write("quiet.yaml", "project: e2e\ncampaigns:\n  quiet:\n    schedule: daily at 07:00\n    fetcher: feed\n    split: { items: [ { label: velvet-item, url: "+src.URL+"/feed/0 }, { label: velvet-gone, url: "+src.URL+"/nothing-here } ] }\n")
	_, code := e.cli(true, "campaigns", "apply", "quiet.yaml", "--yes")
	require.Zero(t, code)
	out, code := e.cli(true, "trigger", "quiet", "--yes")
	require.Contains(t, out, "gone", "the run was watched to its end by a process with the key")
	require.Contains(t, []int{0, 3, 4}, code)
	for _, word := range []string{"velvet-item", "velvet-gone", `"campaign"`, "nothing-here", "HTTP status"} {
		for name, form := range map[string]string{"plain": word, "base64": base64.StdEncoding.EncodeToString([]byte(word))[:8]} {
			require.NotContains(t, e.histories(), form, "%s, %s", word, name)
		}
	}
	require.Contains(t, e.histories(), "binary/encrypted")

	out, code = e.cli(true, "campaigns", "plan", "quiet.yaml")
	require.Zero(t, code, out)
	require.Contains(t, out, "Nothing to do", "memos of schedules are read")
	out, code = e.cli(false, "campaigns", "plan", "quiet.yaml")
	require.NotZero(t, code, "without the key: an error at once")
	require.Contains(t, plainText(out), "encrypted with key k1, and this process has no keys")
}

// A run whose worker lost its key waits, and ends when the key is there again.
func TestARunWaitsForItsKey(t *testing.T) {
	t.Parallel()
	e := newEncrypted(t)
	src := newSource(t, 1, 1, 2, 0)
	e.write("quiet.yaml", "project: e2e\ncampaigns:\n  quiet: { fetcher: feed, params: { url: "+src.URL+"/feed/0 } }\n")
	first := e.work(e.flags()...)
	_, code := e.cli(true, "campaigns", "apply", "quiet.yaml", "--yes")
	require.Zero(t, code)
	first.Kill()
	_, code = e.cli(true, "trigger", "quiet", "--yes", "--detach")
	require.Zero(t, code)

	other := e.work() // without keys
	e.eventually("its history says why it waits", 2*time.Minute, func() bool {
		return strings.Contains(e.histories(), "this process has no keys")
	})
	other.Kill()
	e.keys(keyLine("k2", "b") + keyLine("k1", "a")) // rotated: the old key still decrypts
	e.work(e.flags()...)
	e.eventually("the run ends", 2*time.Minute, func() bool {
		n, err := e.open().CountDocuments(t.Context(), rows.DocumentFilter{}, "campaign")
		return err == nil && n["quiet"] > 0
	})
}

// A worker whose keys cannot be used does not begin.
func TestAWorkerWithoutItsKeysDoesNotBegin(t *testing.T) {
	t.Parallel()
	e := newEncrypted(t)
	for text, want := range map[string]string{"k1 short": "is not 32 bytes in base64", "": "empty"} {
		e.keys(text)
		cmd := exec.CommandContext(e.within(time.Minute), e.binary, append([]string{"--create", "--store", e.storeAddress()}, e.flags()...)...)
		cmd.Env = dev.Environment(e.server.Address)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, plainText(string(out)), want)
	}
}

// The Web UI reads what it may through the codec server.
func TestCodecServe(t *testing.T) {
	t.Parallel()
	e := newEncrypted(t)
	out, code := e.cli(true, "codec", "serve", "--listen", "0.0.0.0:0")
	require.Equal(t, 2, code)
	require.Contains(t, plainText(out), "loopback only")
	out, code = e.cli(false, "codec", "serve")
	require.Equal(t, 2, code)
	require.Contains(t, plainText(out), "nothing is encrypted")

	cmd, printed := e.command("codec", "serve", "--listen", "127.0.0.1:0", "-o", "jsonl")
	cmd.Env = append(cmd.Env, "VENDEMMIA_PAYLOAD_KEYS=${secret:file:keys}", "VENDEMMIA_SECRET_DIR="+e.folder)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) // it would go on
	e.eventually("it says where it is", time.Minute, func() bool { return strings.Contains(printed.String(), `"ui"`) })
	address := "http://127.0.0.1:" + strings.Split(strings.Split(printed.String(), "127.0.0.1:")[1], `"`)[0]

	c, err := temporalx.Dial(e.within(time.Minute), temporalx.Target{Address: e.server.Address, Alone: true, Keys: func() (string, error) { return keyLine("k1", "a"), nil }})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "q"}, "W", "velvet")
	require.NoError(t, err)
	shown := e.temporal("workflow", "show", "--workflow-id", "w", "-o", "json", "--codec-endpoint", address)
	velvet := base64.StdEncoding.EncodeToString([]byte(`"velvet"`))
	require.Contains(t, shown, velvet, "the Temporal CLI reads it through the codec server")
	require.NotContains(t, e.temporal("workflow", "show", "--workflow-id", "w", "-o", "json"), velvet)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/decode", strings.NewReader("{}"))
	require.NoError(t, err)
	req.Header.Set("Origin", "https://evil.example.org")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close() // it was only read
	_, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
}
