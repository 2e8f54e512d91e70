package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Four workers on one PostgreSQL, begun at the same moment on an empty database:
// the kill tests once more, and of PostgreSQL itself.

const fleetSize = 4

// blow kills something of a house; it leaves it able to go on.
type blow func(h *house, workers []*dev.Process)

func TestPostgresKillWorker(t *testing.T) {
	t.Parallel()
	killOnPostgres(t, 3, 120, "a random worker", killSomeWorker)
}

func TestPostgresKillServer(t *testing.T) {
	t.Parallel()
	killOnPostgres(t, 1, 80, "the Temporal server", killTemporal)
}

func TestPostgresKillPostgres(t *testing.T) {
	t.Parallel()
	killOnPostgres(t, 3, 120, "PostgreSQL", killPostgres)
}

func TestSoakPostgresKillWorkerTwentyTimes(t *testing.T) {
	soak(t)
	killOnPostgres(t, 20, 600, "a random worker", killSomeWorker)
}

func TestSoakPostgresKillServerTwentyTimes(t *testing.T) {
	soak(t)
	killOnPostgres(t, 20, 600, "the Temporal server", killTemporal)
}

func TestSoakPostgresKillPostgresTwentyTimes(t *testing.T) {
	soak(t)
	killOnPostgres(t, 20, 600, "PostgreSQL", killPostgres)
}

func killOnPostgres(t *testing.T, kills, feeds int, what string, kill blow) {
	h, src := newPostgresHouse(t), newSource(t, feeds, killPages, killEntries, killDelay)
	workers := h.fleet(fleetSize, "--item-slots", "5")
	h.campaign("crash", src, fmt.Sprint("processors: ", processors))
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	for range kills {
		h.crashMoment(feeds * killPages / kills)
		kill(h, workers)
	}
	sum := h.result(h.client.GetWorkflow(t.Context(), run.GetID(), run.GetRunID()))
	require.Equal(t, outcomes.Done, sum.Outcome)
	h.requireAllClosedOnce(src, feeds)
	for _, w := range workers {
		require.True(t, alive(w), "a worker has ended by itself")
	}
	pages, requests := src.twice()
	require.LessOrEqual(t, requests, kills*2*processors, "a kill repeats at most the page in flight of each processor, and the head of its feed")
	t.Logf("%d workers on PostgreSQL, %d kills of %s (SIGKILL): %d items closed once, %d pages asked twice, %d requests repeated", fleetSize, kills, what, feeds, pages, requests)
}

func killSomeWorker(h *house, workers []*dev.Process) {
	i := h.chance.IntN(len(workers))
	workers[i].Kill()
	workers[i] = h.work("--item-slots", "5")
}

func killTemporal(h *house, _ []*dev.Process) {
	h.server.Kill()
	require.NoError(h.t, h.server.Restart(h.within(time.Minute)))
}

func killPostgres(h *house, _ []*dev.Process) {
	h.cluster.Kill()
	h.rest(time.Duration(h.chance.Int64N(int64(1500 * time.Millisecond))))
	require.NoError(h.t, h.cluster.Restart(h.within(time.Minute)))
}

// rest lets time pass, which is what is asked for.
func (h *house) rest(d time.Duration) {
	h.t.Helper()
	began := time.Now()
	h.eventually("time passes", d+time.Minute, func() bool { return time.Since(began) >= d })
}

func alive(p *dev.Process) bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

// PostgreSQL is away for ten seconds: workers say so and go on by themselves, and
// one that is started meanwhile waits for it.
func TestPostgresAwayForTenSeconds(t *testing.T) {
	t.Parallel()
	h, src := newPostgresHouse(t), newSource(t, 60, killPages, killEntries, killDelay)
	health := h.hire()
	worker, err := h.startWorker(health)
	require.NoError(t, err)
	h.campaign("crash", src, "processors: 5")
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	h.crashMoment(60)

	h.cluster.Kill()
	began := time.Now()
	h.eventually("it says that it is not ready", time.Minute, func() bool { return readiness(health.Health) == http.StatusServiceUnavailable })
	late := h.hire()
	started := make(chan error, 1)
	go func() {
		_, err := h.startWorker(late)
		started <- err
	}()
	h.eventually("the late one says what it waits for", time.Minute, func() bool {
		text, err := os.ReadFile(filepath.Join(h.dir, "worker-2.log"))
		return err == nil && strings.Contains(string(text), "waits for the store")
	})
	h.rest(10*time.Second - time.Since(began))
	require.NoError(t, h.cluster.Restart(h.within(time.Minute)))

	require.NoError(t, <-started)
	h.eventually("it is ready again", time.Minute, func() bool { return readiness(health.Health) == http.StatusOK })
	require.True(t, alive(worker))
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	h.requireAllClosedOnce(src, 60)
	pages, requests := src.twice()
	t.Logf("PostgreSQL was away for %s: %d pages asked twice, %d requests repeated", time.Since(began).Round(time.Second), pages, requests)
	require.LessOrEqual(t, requests, 5, "pages in hand are kept until the store is back; only a worker that is late with its heartbeat asks again")
}

func readiness(address string) int {
	resp, err := http.Get("http://" + address + "/ready")
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// A worker that is stopped in the middle of whatever it does: its session ends
// after a while, the others go on, and when it comes back it commits nothing.
func TestPostgresZombieCommitsNothing(t *testing.T) {
	t.Parallel()
	h, src := newPostgresHouse(t), newSource(t, 20, killPages, killEntries, killDelay)
	zombie := h.work("--item-slots", "5")
	h.campaign("crash", src, "processors: 5")
	run := h.start("crash-1", steps.Start{Campaign: "crash"})
	h.crashMoment(10)
	zombie.Signal(syscall.SIGSTOP)
	h.work()
	h.requireZombieFenced(zombie)
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	h.requireAllClosedOnce(src, 20)
}
