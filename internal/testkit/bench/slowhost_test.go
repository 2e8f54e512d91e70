package bench

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// manyHosts is how many hosts share the feeds of BenchmarkSlowHost.
const manyHosts = 50

// BenchmarkSlowHost polls a tenth as many feeds as size says, on fifty hosts, and
// reports how fast those of 49 hosts are done: with all hosts alike, with one that
// takes a request every ten seconds, and with one that is paused.
func BenchmarkSlowHost(b *testing.B) {
	for _, one := range []string{"alike", "slow", "paused"} {
		b.Run(one, func(b *testing.B) {
			for b.Loop() {
				slowHost(b, size(b)/10, one)
			}
		})
	}
}

func slowHost(b *testing.B, items int, one string) {
	dir, f := b.TempDir(), &feeds{}
	f.Server = httptest.NewUnstartedServer(f)
	listener, err := net.Listen("tcp", "0.0.0.0:0") // all of 127.0.0.0/8
	require.NoError(b, err)
	f.Listener = listener
	f.Start()
	defer f.Close()
	starter, worker := build(b, dir)
	h := up(b, dev.HouseOptions{
		Dir: filepath.Join(dir, "house"), Worker: worker, Store: "bench.db", Name: "bench-1",
		Args: []string{"--item-slots", fmt.Sprint(inFlight), "--allow-network", "127.0.0.0/8"},
	})
	defer func() { require.NoError(b, h.Down()) }()
	apply(b, starter, h, f.onHosts(b, dir, items, one))
	if one == "paused" {
		starterDoes(b, starter, h, "hosts", "pause", "127.0.0.2", "--note", "measured", "--yes")
	}
	c, err := temporalx.Dial(b.Context(), temporalx.Target{Address: h.Server.Address, Alone: true})
	require.NoError(b, err)
	defer c.Close()
	before := processorTime(b, h.Worker.PID())
	began := time.Now()
	others := items / manyHosts * (manyHosts - 1)
	_, err = c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: "hosts-1", TaskQueue: steps.QueueControl}, steps.CampaignWorkflow, steps.Start{Campaign: "polls"})
	require.NoError(b, err)
	require.Eventually(b, func() bool { return f.answered(one == "alike") >= others }, 5*time.Minute, 20*time.Millisecond)
	took := time.Since(began)
	b.ReportMetric(float64(others)/took.Seconds(), "items/s")
	b.ReportMetric(float64((processorTime(b, h.Worker.PID())-before).Microseconds())/float64(others), "worker-µs/item")
	b.ReportMetric(0, "ns/op")
	require.NoError(b, c.TerminateWorkflow(b.Context(), "hosts-1", "", "measured"))
}

// answered counts the requests, but for those of the first host unless it is like all.
func (f *feeds) answered(all bool) int {
	if all {
		return int(f.first.Load() + f.others.Load())
	}
	return int(f.others.Load())
}

// onHosts writes a campaign of feeds whose hosts alternate.
func (f *feeds) onHosts(b *testing.B, dir string, items int, one string) string {
	b.Helper()
	port := f.Listener.Addr().(*net.TCPAddr).Port
	var list strings.Builder
	list.WriteString("id,url\n")
	for i := range items {
		fmt.Fprintf(&list, "f%d,http://127.0.0.%d:%d/f/%d\n", i, 2+i%manyHosts, port, i)
	}
	require.NoError(b, os.WriteFile(filepath.Join(dir, "feeds.csv"), []byte(list.String()), 0o600))
	var hosts strings.Builder
	for i := range manyHosts {
		pace := "connections: 20"
		if i == 0 && one == "slow" {
			pace = "every: 10s"
		}
		fmt.Fprintf(&hosts, "  127.0.0.%d: { %s }\n", 2+i, pace)
	}
	return campaignFile(b, dir, fmt.Sprintf("project: bench\nhosts:\n%scampaigns:\n  polls: { fetcher: feed, processors: %d, split: { file: feeds.csv, key: id } }\n", hosts.String(), inFlight))
}
