package activities

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// seam is where tests make the store fail between two steps.
type seam interface {
	OpenRun(context.Context, rows.NewRun) (rows.Gate, error)
	AddItems(ctx context.Context, run int64, items []rows.RunItem) error
	SealRun(ctx context.Context, run int64, processors int, deadline time.Time) (int, error)
	Claim(context.Context, rows.Claim) (rows.Claimed, error)
	Sweep(context.Context, rows.Sweep) (rows.Swept, error)
	List(ctx context.Context, digest string) iter.Seq2[rows.ListRow, error]
}

// engine is what the steps ask of Temporal about other runs. firstRunID is the
// run id of the first execution of the chain.
type engine interface {
	// Closed says whether a run has ended there, and when; a run that Temporal
	// does not know has ended at the zero time.
	Closed(ctx context.Context, workflowID, firstRunID string) (closed bool, at time.Time, err error)
	Cancel(ctx context.Context, workflowID, firstRunID string) error
	Terminate(ctx context.Context, workflowID, firstRunID, why string) error
	// Wake has a run that waits in line ask the gate at once.
	Wake(ctx context.Context, workflowID, firstRunID string) error
}

// clients makes the polite HTTP client of one item.
type clients func(visit.Visitor) *http.Client

// resolver replaces the references in text or JSON by their values and returns
// what it found too, so that it can be masked where it would be printed.
type resolver interface {
	JSON(raw json.RawMessage) (json.RawMessage, secrets.Found, error)
	Auth(a *visit.Auth) (*visit.Auth, secrets.Found, error)
	Text(s string) (string, secrets.Found, error)
}

// sender delivers one message. The key is the same at every repetition.
type sender interface {
	Send(ctx context.Context, to, key string, payload json.RawMessage) error
}

// meter counts what happens, for metrics.
type meter interface {
	ItemClosed(fetcher string, o outcomes.Outcome)
	RunClosed(campaign string, o outcomes.Outcome, at time.Time)
	ItemsInFlight(change int)
	Page(fetcher string, t harvest.Tally)
	Exchange(visit.Exchange)
	// Notified counts attempts to send a notification: "sent", "retrying" or
	// "given_up".
	Notified(result string)
}

type noMeter struct{}

func (noMeter) ItemClosed(string, outcomes.Outcome)           {}
func (noMeter) RunClosed(string, outcomes.Outcome, time.Time) {}
func (noMeter) ItemsInFlight(int)                             {}
func (noMeter) Page(string, harvest.Tally)                    {}
func (noMeter) Exchange(visit.Exchange)                       {}
func (noMeter) Notified(string)                               {}
