package why

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// How far around a moment runs are looked for: one may last for days.
const (
	thenBefore = 8 * 24 * time.Hour
	thenAfter  = 2 * 24 * time.Hour
)

// then answers for a moment that has passed.
func (c *why) then(ctx context.Context, s program.Store, name string) (diagnose.Answer, error) {
	at, err := c.Moment("at", c.at)
	if err != nil {
		return diagnose.Answer{}, err
	}
	if at.After(c.Env.Now()) {
		return diagnose.Answer{}, program.Usage("--at %s: it has not come yet; `starter campaigns show %s` has the next due times", c.Clock.Full(at), name)
	}
	if _, err := s.Campaign(ctx, name); errors.Is(err, rows.ErrNotFound) {
		return diagnose.Answer{}, program.Usage("--at: %s is no campaign of this store; only of a campaign it is known when it was due", name)
	} else if err != nil {
		return diagnose.Answer{}, err
	}
	f := diagnose.Facts{Clock: c.Clock, Subject: name, Store: c.StoreName(s)}
	if err := c.campaign(ctx, s, name, &f); err != nil {
		return diagnose.Answer{}, err
	}
	t := diagnose.Then{At: at}
	for _, gather := range []func(context.Context, program.Store, *diagnose.Facts, *diagnose.Then) error{definitionThen, pauseThen, runsThen} {
		if err := gather(ctx, s, &f, &t); err != nil {
			return diagnose.Answer{}, err
		}
	}
	return diagnose.WhyThen(f, t), nil
}

func definitionThen(ctx context.Context, s program.Store, f *diagnose.Facts, t *diagnose.Then) (err error) {
	if t.Definitions, err = s.Definitions(ctx, f.Subject); err != nil {
		return err
	}
	i := slices.IndexFunc(t.Definitions, func(d rows.Definition) bool { return !d.AppliedAt.After(t.At) })
	if i < 0 {
		return nil
	}
	t.Definition = t.Definitions[i]
	t.Effective, err = campaigns.Decode(t.Definition.Spec)
	return err
}

// pauseThen finds the last word about pausing before the moment.
func pauseThen(ctx context.Context, s program.Store, f *diagnose.Facts, t *diagnose.Then) error {
	events, err := s.Events(ctx, f.Subject, time.Time{}, 0)
	for _, e := range events {
		if e.At.After(t.At) || e.Verb != "pause" && e.Verb != "resume" {
			continue
		}
		if e.Verb == "pause" {
			t.Pause = &e
		}
		break
	}
	return err
}

// runsThen finds the run of the due time, the one that was going on, and the runs
// around them.
func runsThen(ctx context.Context, s program.Store, f *diagnose.Facts, t *diagnose.Then) error {
	runs, err := s.Runs(ctx, rows.RunFilter{Campaign: f.Subject, Since: t.At.Add(-thenBefore), Until: t.At.Add(thenAfter)})
	if err != nil {
		return err
	}
	for _, r := range runs {
		began := r.Due()
		switch {
		case began.Truncate(time.Minute).Equal(t.At.Truncate(time.Minute)):
			t.Ran = &r
		case began.After(t.At):
			t.After = append(t.After, r)
		case !r.StartedAt.After(t.At) && (r.State != rows.RunClosed || r.ClosedAt.After(t.At)):
			t.Holder = &r
		default:
			f.Before = append(f.Before, r)
		}
	}
	if t.Holder == nil {
		return nil
	}
	t.HolderItems, err = s.RunItems(ctx, t.Holder.ID, rows.ItemFilter{Limit: whyItems})
	return err
}
