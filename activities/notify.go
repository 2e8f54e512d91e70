package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxSends is how often one message is tried before it is left in the outbox
	// for people to see.
	maxSends = 12
	// sendWait is the wait after the first failure; it doubles up to sendCap.
	sendWait = 4 * time.Second
	sendCap  = time.Hour
)

// Notify sends what a run put into the outbox; run 0 is all that is due. It
// fails when something is left that is worth another try; what can never be
// sent stays in the outbox with its error. Receivers tell repetitions by the
// key, which is the same each time.
func (a *Activities) Notify(ctx context.Context, in steps.NotifyIn) (steps.Nothing, error) {
	if in.Run > 0 {
		if _, err := a.run(ctx, in.RunOf); err != nil {
			return steps.Nothing{}, err
		}
	} else if err := a.ours(in.Store); err != nil {
		return steps.Nothing{}, err
	}
	return steps.Nothing{}, a.deliver(ctx, in.Run)
}

func (a *Activities) deliver(ctx context.Context, run int64) error {
	due, err := a.Store.Outbox(ctx, run, a.Now())
	if err != nil {
		return err
	}
	var last error
	for _, m := range due {
		sendErr := a.sendTo(ctx, m.To, fmt.Sprintf("%s-%d", a.Store.ID(), m.ID), m.Payload)
		if err := a.note(ctx, m, sendErr); err != nil {
			return err
		}
		if sendErr != nil && !hopeless(sendErr) && m.Attempts+1 < maxSends {
			last = sendErr
		}
	}
	return last
}

// sendTo resolves the address, which may hold a secret, and sends.
func (a *Activities) sendTo(ctx context.Context, to, key string, payload []byte) error {
	address, found, err := a.Secrets.Text(to)
	if err != nil {
		return err
	}
	if err := a.Send.Send(ctx, address, key, payload); err != nil {
		return found.Mask().Error(err)
	}
	return nil
}

// hopeless: the same again would fail the same.
func hopeless(err error) bool {
	switch harvest.KindOf(err) {
	case harvest.KindMisconfigured, harvest.KindGone, harvest.KindBlocked:
		return true
	default:
		return false
	}
}

func (a *Activities) note(ctx context.Context, m rows.Message, sendErr error) error {
	if sendErr == nil {
		a.Meter.Notified("sent")
		return a.Store.Sent(ctx, m.ID, "", time.Time{})
	}
	next := a.Now().Add(min(sendCap, sendWait<<min(m.Attempts, 12)))
	if hopeless(sendErr) || m.Attempts+1 >= maxSends {
		next = time.Time{}
	}
	a.Meter.Notified(map[bool]string{true: "given_up", false: "retrying"}[next.IsZero()])
	a.Log.WarnContext(ctx, "a notification was not sent", "campaign", m.Campaign, "message", m.ID, "again_at", next, "error", sendErr)
	return a.Store.Sent(ctx, m.ID, sendErr.Error(), next)
}
