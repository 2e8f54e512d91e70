package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// bulletin is a source of numbered notices, three an answer; asked is behind what.
type bulletin struct {
	mu    sync.Mutex
	asked []int
}

const notices, perAnswer = 90, 3

// ServeHTTP is part of http.Handler.
func (b *bulletin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	b.mu.Lock()
	b.asked = append(b.asked, after)
	b.mu.Unlock()
	time.Sleep(killDelay / 2)
	list := []any{}
	for n := after + 1; n <= min(after+perAnswer, notices); n++ {
		list = append(list, map[string]any{"number": n, "date": "2026-05-01T08:00:00Z", "title": fmt.Sprintf("Città %d", n), "text": "È così."})
	}
	json.NewEncoder(w).Encode(map[string]any{"bulletin": "albo", "notices": list, "more": after+perAnswer < notices}) // the program may be gone
}

// tap is a Singer tap over the bulletin.
const tap = `#!/usr/bin/env python3
import json, sys, urllib.request
a = dict(zip(sys.argv[1::2], sys.argv[2::2]))
url = json.load(open(a["--config"]))["url"]
after = json.load(open(a["--state"]))["after"] if "--state" in a else 0
def say(**m): print(json.dumps(m), flush=True)
say(type="SCHEMA", stream="notices", schema={}, key_properties=["number"])
more = True
while more:
    page = json.load(urllib.request.urlopen(f"{url}?after={after}", timeout=60))
    more = page["more"]
    for n in page["notices"]:
        after = n["number"]
        say(type="RECORD", stream="notices", record=n)
    say(type="STATE", value={"after": after})
`

// TestKillWorkerOfPrograms: the Python example and a Singer tap are harvested by a worker
// that is killed on the way. Each notice is stored once, the next worker goes on from the
// last state, and no program outlives its worker.
func TestKillWorkerOfPrograms(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		require.Empty(t, os.Getenv("CI"), "python3 is missing: install it")
		t.Skip("python3 is not here")
	}
	h := newHouse(t)
	dir := filepath.Join(h.dir, "programs")
	require.NoError(t, os.Mkdir(dir, 0o755))
	example, err := os.ReadFile("../../../examples/exec/bulletin.py")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bulletin.py"), example, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tap"), []byte(tap), 0o755))
	b := &bulletin{}
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)

	h.work("--exec-dir", dir)
	h.write("crash.yaml", fmt.Sprintf(`campaigns:
  crash:
    fetchers:
      - { name: ours, fetcher: exec, params: { program: bulletin.py, batch: 3, config: { url: %q } } }
      - { name: tap, fetcher: exec, params: { program: tap, protocol: singer, batch: 3, config: { url: %q } } }
`, s.URL, s.URL))
	_, code := h.starter("campaigns", "apply", "crash.yaml", "--yes")
	require.Equal(t, 0, code)
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	h.crashMoment(10)
	h.worker.Kill()
	h.eventually("no program outlives its worker", time.Minute, func() bool { return !running(t, dir) })
	b.forget()
	h.work("--exec-dir", dir)
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	counts, err := h.open().Counts(t.Context(), "crash")
	require.NoError(t, err)
	require.EqualValues(t, 2*notices, counts.Documents, "each notice once, by either program")
	begun := slices.DeleteFunc(b.forget(), func(after int) bool { return after > 0 })
	require.LessOrEqual(t, len(begun), 1, "a program whose state was stored went on there")
}

// forget returns what was asked for since it was called last.
func (b *bulletin) forget() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked
	b.asked = nil
	return asked
}

// running reports a process whose command line names a folder.
func running(t *testing.T, dir string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range lines {
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), dir+"/") && strings.Contains(string(b), "python") {
			return true
		}
	}
	return false
}
