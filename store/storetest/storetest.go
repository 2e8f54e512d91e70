// Package storetest is the conformance suite of a store: what every back end
// must do, written once and run by each back end's own test.
package storetest

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Store is what is tested: the methods of store.Store, and Again, which opens
// the same store a second time as another process would.
type Store interface {
	Again(t *testing.T) Store

	Close() error
	ID() string
	Epoch(ctx context.Context) (int64, error)
	Restored(ctx context.Context, by string) (epoch int64, ended int, err error)
	Address() string
	Check(ctx context.Context) error

	Apply(ctx context.Context, a rows.Application) ([]rows.Applied, error)
	Campaigns(ctx context.Context, project string, removed bool) ([]rows.Campaign, error)
	Campaign(ctx context.Context, name string) (rows.Campaign, error)
	Definition(ctx context.Context, campaign string, version int) (rows.Definition, error)
	Definitions(ctx context.Context, campaign string) ([]rows.Definition, error)
	RemoveCampaigns(ctx context.Context, names []string, by string) error
	PauseCampaign(ctx context.Context, name string, p *rows.Pause) error
	PauseItem(ctx context.Context, item harvest.Item, p *rows.Pause) error
	SaveList(ctx context.Context, digest string, list iter.Seq[rows.ListRow]) error
	HasList(ctx context.Context, digest string) (bool, error)
	List(ctx context.Context, digest string) iter.Seq2[rows.ListRow, error]
	Hosts(ctx context.Context) ([]rows.Host, error)
	HostsSince(ctx context.Context, after int64) (rows.HostChanges, error)
	RestHost(ctx context.Context, host string, until time.Time, why string) error
	SlowHost(ctx context.Context, host string, gap time.Duration, why string) error
	DelayHost(ctx context.Context, host string, gap, keep time.Duration) error
	PauseHost(ctx context.Context, host string, p *rows.Pause) error
	BookHost(ctx context.Context, b rows.Booking) (booked bool, wait time.Duration, err error)
	RenewHost(ctx context.Context, b rows.Booking) error
	ReleaseHost(ctx context.Context, b rows.Booking) error
	WithdrawHost(ctx context.Context, host, holder string) error
	Record(ctx context.Context, e rows.Event) error
	Events(ctx context.Context, on string, since time.Time, limit int) ([]rows.Event, error)

	OpenRun(ctx context.Context, n rows.NewRun) (rows.Gate, error)
	AddItems(ctx context.Context, run int64, items []rows.RunItem) error
	SealRun(ctx context.Context, run int64, processors int, deadline time.Time) (int, error)
	EntryRanges(ctx context.Context, run int64) ([]rows.EntryRange, error)
	RunByID(ctx context.Context, id int64) (rows.Run, error)
	RunByRunID(ctx context.Context, runID string) (rows.Run, error)
	FindRun(ctx context.Context, ref string) (rows.Run, error)
	Runs(ctx context.Context, f rows.RunFilter) ([]rows.Run, error)
	OpenRuns(ctx context.Context) ([]rows.Run, error)
	RecordRun(ctx context.Context, r rows.Run, outbox ...rows.Message) error
	StopRun(ctx context.Context, run int64, why string) error
	PauseRun(ctx context.Context, run int64, why string) error
	Claim(ctx context.Context, c rows.Claim) (rows.Claimed, error)
	Write(ctx context.Context, w rows.Write) rows.Written
	BeginPass(ctx context.Context, p rows.PassStart) (rows.Pass, int64, error)
	Sweep(ctx context.Context, w rows.Sweep) (rows.Swept, error)
	SkipItem(ctx context.Context, run int64, key, why string) error
	CloseOpenItems(ctx context.Context, run int64, o harvest.Outcome, why string) (int, error)
	Totals(ctx context.Context, run int64) ([]rows.OutcomeCount, error)
	RunItems(ctx context.Context, run int64, f rows.ItemFilter) ([]rows.RunItem, error)
	FinishRun(ctx context.Context, f rows.Finish) error

	Outbox(ctx context.Context, run int64, now time.Time) ([]rows.Message, error)
	Sent(ctx context.Context, id int64, sendErr string, next time.Time) error
	Alerts(ctx context.Context, campaign string) ([]rows.Alert, error)
	Messages(ctx context.Context, f rows.MessageFilter) ([]rows.Message, error)
	RetryMessages(ctx context.Context, ids ...int64) error
	DropMessages(ctx context.Context, ids ...int64) error

	Items(ctx context.Context, f rows.ItemsFilter) ([]rows.Item, error)
	Checkpoints(ctx context.Context, f rows.CheckpointFilter) ([]rows.Checkpoint, error)
	SetCheckpoint(ctx context.Context, item harvest.Item, lane string, value json.RawMessage) error
	ResetCheckpoints(ctx context.Context, f rows.CheckpointFilter) (int, error)
	Documents(ctx context.Context, f rows.DocumentFilter) iter.Seq2[rows.Document, error]
	Document(ctx context.Context, collection, id string) (rows.Document, error)
	History(ctx context.Context, collection, id string, bodies bool) ([]rows.Change, error)
	CountDocuments(ctx context.Context, f rows.DocumentFilter, by string) (map[string]int64, error)
	Changes(ctx context.Context, f rows.ChangeFilter) iter.Seq2[rows.Change, error]
	LastChange(ctx context.Context) (int64, error)
	Ledger(ctx context.Context, f rows.LedgerFilter) iter.Seq2[rows.LedgerLine, error]
	Failures(ctx context.Context, f rows.FailureFilter) ([]rows.Failure, error)
	Failure(ctx context.Context, id int64) (rows.Failure, error)
	AcceptFailures(ctx context.Context, ids ...int64) error
	Unread(ctx context.Context, item harvest.Item, lane string, run int64) ([]harvest.Unread, rows.Unread, error)
	Counts(ctx context.Context, campaign string) (rows.Counts, error)
	Clean(ctx context.Context, rules ...rows.Retention) (rows.Removed, error)
	PutBlob(ctx context.Context, content []byte) (string, error)
	Blob(ctx context.Context, digest string) (io.ReadCloser, error)
}

// Run proves a back end. open makes a new, empty store for each test and
// closes it when the test ends.
func Run(t *testing.T, open func(t *testing.T) Store) {
	groups := map[string]map[string]func(*testing.T, Store){
		"definitions": definitionTests(), "gate": gateTests(), "claims": claimTests(), "pages": pageTests(), "quarantine": quarantineTests(), "outbox": outboxTests(), "passes": passTests(),
		"documents": documentTests(), "items": itemTests(), "reading": readingTests(), "retention": retentionTests(), "departures": departureTests(),
	}
	for group, tests := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, open(t))
				})
			}
		})
	}
}
