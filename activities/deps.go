package activities

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

// storage is what the steps ask of the data plane. All of it is safe at once from
// many goroutines.
type storage interface {
	definitionStore
	listStore
	runStore
	itemStore
	outboxStore
	ID() string
	Epoch(context.Context) (int64, error)
	Clean(context.Context, ...rows.Retention) (rows.Removed, error)
	Record(context.Context, rows.Event) error
	Events(ctx context.Context, on string, since time.Time, limit int) ([]rows.Event, error)
}

type definitionStore interface {
	Apply(context.Context, rows.Application) ([]rows.Applied, error)
	Campaigns(ctx context.Context, project string, removed bool) ([]rows.Campaign, error)
	Campaign(ctx context.Context, name string) (rows.Campaign, error)
	Definition(ctx context.Context, campaign string, version int) (rows.Definition, error)
	Definitions(ctx context.Context, campaign string) ([]rows.Definition, error)
}

type listStore interface {
	SaveList(ctx context.Context, digest string, list iter.Seq[rows.ListRow]) error
	List(ctx context.Context, digest string) iter.Seq2[rows.ListRow, error]
	Checkpoints(context.Context, rows.CheckpointFilter) ([]rows.Checkpoint, error)
	SetCheckpoint(ctx context.Context, item harvest.Item, lane string, value json.RawMessage) error
}

type runStore interface {
	OpenRun(context.Context, rows.NewRun) (rows.Gate, error)
	AddItems(ctx context.Context, run int64, items []rows.RunItem) error
	SealRun(ctx context.Context, run int64, processors int, deadline time.Time) (int, error)
	EntryRanges(ctx context.Context, run int64) ([]rows.EntryRange, error)
	RunByID(ctx context.Context, id int64) (rows.Run, error)
	RunByRunID(ctx context.Context, runID string) (rows.Run, error)
	FindRun(ctx context.Context, ref string) (rows.Run, error)
	Runs(context.Context, rows.RunFilter) ([]rows.Run, error)
	Unfinished(context.Context) ([]rows.Run, error)
	RecordRun(ctx context.Context, r rows.Run, outbox ...rows.Message) error
	StopRun(ctx context.Context, run int64, text string) error
	FinishRun(context.Context, rows.Finish) error
	Totals(ctx context.Context, run int64) ([]rows.OutcomeCount, error)
	Log(context.Context, rows.Asking) error
	Ledger(context.Context, rows.LedgerFilter) iter.Seq2[rows.LedgerLine, error]
}

type itemStore interface {
	Claim(context.Context, rows.Claim) (rows.Claimed, error)
	Write(context.Context, rows.Write) rows.Written
	Unread(ctx context.Context, item harvest.Item, lane string, run int64) ([]harvest.Unread, rows.Unread, error)
	BeginPass(context.Context, rows.PassStart) (rows.Pass, int64, error)
	Sweep(context.Context, rows.Sweep) (rows.Swept, error)
	SkipItem(ctx context.Context, run int64, key, why string) error
	CloseOpenItems(ctx context.Context, run int64, o harvest.Outcome, why string) (int, error)
	RunItems(ctx context.Context, run int64, f rows.ItemFilter) ([]rows.RunItem, error)
	Items(context.Context, rows.ItemsFilter) ([]rows.Item, error)
	Documents(context.Context, rows.DocumentFilter) iter.Seq2[rows.Document, error]
	PutBlob(ctx context.Context, content []byte) (digest string, err error)
}

type outboxStore interface {
	Outbox(ctx context.Context, run int64, now time.Time) ([]rows.Message, error)
	Sent(ctx context.Context, id int64, sendErr string, next time.Time) error
	Alerts(ctx context.Context, campaign string) ([]rows.Alert, error)
}

// engine is what the steps ask of Temporal about other runs. firstRunID is the
// run id of the first execution of the chain.
type engine interface {
	// Closed says whether a run has ended there, and when; a run that Temporal
	// does not know has ended at the zero time.
	Closed(ctx context.Context, workflowID, firstRunID string) (closed bool, at time.Time, err error)
	Cancel(ctx context.Context, workflowID, firstRunID string) error
	Terminate(ctx context.Context, workflowID, firstRunID, why string) error
}

// clients makes the polite HTTP client of one item.
type clients func(harvest.Visitor) *http.Client

// resolver replaces the references in text or JSON by their values and returns
// what it found too, so that it can be masked where it would be printed.
type resolver interface {
	JSON(raw json.RawMessage) (json.RawMessage, secrets.Found, error)
	Text(s string) (string, secrets.Found, error)
}

// sender delivers one message. The key is the same at every repetition.
type sender interface {
	Send(ctx context.Context, to, key string, payload json.RawMessage) error
}

// meter counts what happens, for metrics.
type meter interface {
	ItemClosed(fetcher string, o harvest.Outcome)
	ItemsInFlight(change int)
	Page(fetcher string, t harvest.Tally)
	Exchange(harvest.Exchange)
	// Notified counts attempts to send a notification: "sent", "retrying" or
	// "given_up".
	Notified(result string)
}

type noMeter struct{}

func (noMeter) ItemClosed(string, harvest.Outcome) {}
func (noMeter) ItemsInFlight(int)                  {}
func (noMeter) Page(string, harvest.Tally)         {}
func (noMeter) Exchange(harvest.Exchange)          {}
func (noMeter) Notified(string)                    {}
