package bench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// sets is how many items share a repository where one does not take it alone.
const sets = 8

// repository is the source of the harvests: pages of 500 records of about
// 1.1 kB, rendered beforehand when they fit, so that it is the harvester that is
// measured.
func repository(b *testing.B, records int) *oai.Repository {
	b.Helper()
	c := oai.Config{Records: records, Page: 500, Collections: sets, Parts: 1}
	if records <= 100_000 {
		c.CachePages = 10_000
	}
	r, err := oai.Start(c)
	require.NoError(b, err)
	b.Cleanup(r.Close)
	return r
}

// harvestOf is a harvest to be measured.
type harvestOf struct {
	starter, worker string
	store           string // "": SQLite
	repository      *oai.Repository
	address         string // "": the repository's
	records, items  int
}

// harvested is what it took.
type harvested struct {
	rate float64 // records a second, from the start of the run to its end
	mib  float64 // peak of the worker
	cpu  float64 // microseconds of the worker's processor time a record
	disk float64 // MB of the store on disk, its folder of large bodies included
}

// measure harvests the repository, and requires that all records are there.
func (h harvestOf) measure(b *testing.B) harvested {
	b.Helper()
	return run{starter: h.starter, worker: h.worker, store: h.store, campaign: h.campaign()}.measure(b, h.records)
}

// run is one run of the campaign "records" through the real server, the real
// worker and a new store.
type run struct {
	starter, worker string
	store           string // "": SQLite
	campaign        string // the file
}

// measure requires that the run brings so many new documents.
func (r run) measure(b *testing.B, documents int) harvested {
	b.Helper()
	dir := b.TempDir()
	o := dev.HouseOptions{Dir: filepath.Join(dir, "house"), Worker: r.worker, Store: cmp.Or(r.store, "bench.db"), Name: "bench-1", Args: []string{"--allow-network", "127.0.0.0/8"}}
	house := up(b, o)
	defer func() { require.NoError(b, house.Down()) }()
	apply(b, r.starter, house, campaignFile(b, dir, r.campaign))
	c, err := temporalx.Dial(b.Context(), temporalx.Target{Address: house.Server.Address, Alone: true})
	require.NoError(b, err)
	defer c.Close()
	before := processorTime(b, house.Worker.PID())
	started, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: "records-1", TaskQueue: steps.QueueControl}, steps.CampaignWorkflow, steps.Start{Campaign: "records"})
	require.NoError(b, err)
	var sum steps.Summary
	require.NoError(b, started.Get(b.Context(), &sum))
	require.Equal(b, documents, sum.Documents.New, sum)
	return harvested{
		rate: float64(documents) / took(b, house).Seconds(), mib: float64(peak(b, house.Worker.PID())) / 1024,
		cpu:  float64((processorTime(b, house.Worker.PID()) - before).Microseconds()) / float64(documents),
		disk: onDisk(b, house.Store),
	}
}

// report puts it in the table.
func (h harvested) report(b *testing.B, of string) {
	b.ReportMetric(h.rate, of+"/s")
	b.ReportMetric(h.cpu, "worker-cpu-us/"+strings.TrimSuffix(of, "s"))
	b.ReportMetric(h.mib, "worker-MiB")
	b.ReportMetric(h.disk, "store-MB")
	b.ReportMetric(0, "ns/op")
}

func took(b *testing.B, house *dev.House) time.Duration {
	b.Helper()
	s, err := store.Open(b.Context(), house.Store, store.Options{})
	require.NoError(b, err)
	defer s.Close()
	run, err := s.FindRun(b.Context(), "records")
	require.NoError(b, err)
	return run.ClosedAt.Sub(run.StartedAt)
}

func (h harvestOf) campaign() string {
	var b strings.Builder
	fmt.Fprintf(&b, `project: bench
hosts:
  127.0.0.1: { connections: %d }
campaigns:
  records:
    fetcher: oaipmh
    processors: %[1]d
    params: { url: %q }
`, h.items, cmp.Or(h.address, h.repository.URL()))
	if h.items > 1 {
		b.WriteString("    split:\n      key: set\n      items:\n")
		for _, set := range h.repository.Sets() {
			fmt.Fprintf(&b, "        - { set: %s }\n", set)
		}
	}
	return b.String()
}

// BenchmarkHarvest harvests 100,000 records of about 1.1 kB, as eight sets side
// by side and as one list, into SQLite and PostgreSQL, beside the two limits:
// the same bytes read, unpacked and thrown away, and the same documents inserted plainly.
// of-http-% and of-inserts-% are shares of those, measured in the same run.
func BenchmarkHarvest(b *testing.B) {
	records := size(b)
	starter, worker := build(b, b.TempDir())
	r := repository(b, records)
	for _, items := range []int{sets, 1} {
		h := harvestOf{starter: starter, worker: worker, repository: r, records: records, items: items}
		h.measure(b) // renders the pages
		for _, kind := range []string{"sqlite", "postgres"} {
			b.Run(fmt.Sprintf("%s/items=%d", kind, items), func(b *testing.B) { h.against(b, kind) })
		}
	}
}

// against measures a harvest and its limits.
func (h harvestOf) against(b *testing.B, kind string) {
	rawInserts := insertSQLite
	if kind == "postgres" {
		h.store, rawInserts = postgres(b), insertPostgres
	}
	for b.Loop() {
		h.repository.Reset()
		got := h.measure(b)
		reading := float64(h.records) / replay(b, h.repository, h.items).Seconds()
		inserting := float64(h.records) / rawInserts(b, h.repository, h.records).Seconds()
		got.report(b, "records")
		b.ReportMetric(100*got.rate/reading, "of-http-%")
		b.ReportMetric(100*got.rate/inserting, "of-inserts-%")
	}
}

// postgres is the address of a database of its own, in a cluster of its own.
// The benchmark is skipped where there is none or the store does not know it.
func postgres(b *testing.B) string {
	b.Helper()
	address := pgtest.New(b, pgtest.Options{}).Database(b)
	s, err := store.Open(b.Context(), address, store.Options{Create: true})
	if err != nil && strings.Contains(err.Error(), "not supported yet") {
		b.Skip(err)
	}
	require.NoError(b, err)
	require.NoError(b, s.Close())
	return address
}

// BenchmarkHarvestMemory shows that the worker's memory does not grow with the
// repository. The million needs VENDEMMIA_BENCH_MILLION=1.
func BenchmarkHarvestMemory(b *testing.B) {
	starter, worker := build(b, b.TempDir())
	for _, records := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			if records == 1_000_000 && os.Getenv("VENDEMMIA_BENCH_MILLION") == "" {
				b.Skip("VENDEMMIA_BENCH_MILLION=1 harvests a million records; it takes a minute and 2 GB of disk")
			}
			h := harvestOf{starter: starter, worker: worker, repository: repository(b, records), records: records, items: sets}
			for b.Loop() {
				h.measure(b).report(b, "records")
			}
		})
	}
}
