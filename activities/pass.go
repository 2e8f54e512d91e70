package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// passing is what an attempt has to do with its item's full passes.
type passing struct {
	number   int  // under which pages are noted; 0: they are not
	underWay bool // of this attempt, so that its end may delete
	unlisted bool // pages were committed before without being noted
}

func (p *passing) sighting() *rows.Sighting {
	if p.number == 0 {
		return nil
	}
	return &rows.Sighting{Pass: p.number, Unlisted: p.unlisted}
}

// refreshes refuses to make full passes where there are none.
func refreshes(c *campaigns.Campaign, s steps.Start) error {
	if !s.Refresh {
		return nil
	}
	if s.Limit > 0 || s.Lane != "" || !s.Window.IsZero() || len(s.Params) > 0 {
		return refuse("a full pass lists everything: refresh does not go with limit, params, window or lane")
	}
	for i := range c.Entries {
		if c.Entries[i].Refresh > 0 {
			return nil
		}
	}
	return refuse("no entry of campaign %s says refresh, so it is not known what was listed before; write how often, for example refresh: 90d", c.Name)
}

// hasPasses reports whether what this run lists is what the source has. A window,
// a trial or other params are a part of it.
func (r *itemRun) hasPasses() bool {
	s := &r.start
	return r.entry.Refresh > 0 && r.item.Lane == "" && s.Limit == 0 && s.Window.IsZero() && len(s.Params) == 0 && r.kind.Exhaustive()
}

// beginPass goes on with a pass that is under way, or begins one that is due. A
// checkpoint that was moved by anything else, or for other params, would leave a
// hole in the list: then the pass is begun anew.
func (r *itemRun) beginPass() error {
	if !r.hasPasses() {
		return nil
	}
	p, c := r.item.Pass, r.item.Checkpoint
	r.pass = passing{number: p.Number, unlisted: c.Version > 0 && r.item.Moved != p.Run}
	switch {
	case r.start.Refresh && p.Run != r.session.run.ID:
	case p.UnderWay() && r.item.Moved == p.Run && c.Params == r.prints.params:
		r.pass.underWay = true
		return nil
	case p.UnderWay() || r.passDue():
	default:
		return nil
	}
	var kept json.RawMessage
	if k, ok := r.kind.New(nil).(harvest.Keeper); ok {
		kept = k.Keep(c.Value)
	}
	begun, version, err := r.Store.BeginPass(r.keep, rows.PassStart{
		Run: r.session.run.ID, Ord: r.item.Ord, Epoch: r.epoch, Item: r.write().Item, Lane: r.item.Lane, At: r.Now(),
		Params: r.prints.params, Extraction: r.prints.extraction, Kept: kept,
	})
	if err != nil {
		return fmt.Errorf("begin a full pass of %s: %w", r.name, err)
	}
	r.log.Info("a full pass begins", "item", r.name, "pass", begun.Number)
	r.item.Pass, r.version = begun, version
	r.item.Checkpoint = units.Checkpoint{Value: kept, Version: version, Params: r.prints.params, Extraction: r.prints.extraction}
	r.pass = passing{number: begun.Number, underWay: true}
	return nil
}

// passDue: the first harvest of all is a pass by itself.
func (r *itemRun) passDue() bool {
	p := r.item.Pass
	if p.Number == 0 && r.item.Checkpoint.Version == 0 {
		return true
	}
	return !r.Now().Before(p.Next(r.entry.Refresh, r.item.FirstSeen))
}

// finished ends an item whose source has no more pages. At the end of a pass that
// can be trusted, what it did not list is deleted first.
func (r *itemRun) finished() end {
	if r.evaluation.trial { // the store knows nothing of it
		return r.settle(r.evaluation.settle(r.item.Tally.Add(r.tally), rows.Unread{}))
	}
	s := rows.Settle{State: rows.ItemClosed, Evaluate: r.evaluation.settle}
	if !r.pass.underWay {
		return r.settle(s)
	}
	s.Pass = &rows.PassEnd{Number: r.pass.number}
	t := r.item.Tally.Add(r.tally)
	if so := r.evaluation.settle(t, r.unread); !trusted(so, t) {
		s.Pass.Void = cmp.Or(so.Error, so.Why, string(so.Outcome))
		return r.settle(s)
	}
	deleted, out, err := r.sweep()
	if err != nil {
		return r.ended(err)
	}
	return r.settle(r.swept(s.Pass, deleted, out))
}

// trusted: what was listed is all there is. Records that could not be read are
// there; the store knows whether all of them had a name.
func trusted(s rows.Settle, t harvest.Tally) bool {
	switch s.Outcome {
	case outcomes.Done, outcomes.Unchanged:
		return true
	case outcomes.Partial:
		return !t.Partial
	default:
		return false
	}
}

// swept is the end of an item after its sweep.
func (r *itemRun) swept(pass *rows.PassEnd, deleted int, out rows.Swept) rows.Settle {
	pass.Void, pass.Kept = out.Void, out.Kept
	text := fmt.Sprintf("full pass %d: %d no longer listed", pass.Number, deleted) + heldWords(out.Kept)
	if out.Void != "" {
		text = fmt.Sprintf("full pass %d: %s; nothing was deleted", pass.Number, out.Void)
	}
	r.log.Info("a full pass has ended", "item", r.name, "pass", pass.Number, "deleted", deleted, "void", out.Void)
	return rows.Settle{State: rows.ItemClosed, Pass: pass, Evaluate: func(t harvest.Tally, u rows.Unread) rows.Settle {
		s := r.evaluation.settle(t, u)
		if out.Empty {
			s.Outcome = outcomes.Empty
		}
		if s.Why == "" || out.Void != "" {
			s.Why = text
		}
		return s
	}}
}

// heldWords says what stays, and because of whom.
func heldWords(held []rows.Kept) string {
	if len(held) == 0 {
		return ""
	}
	documents, names := 0, []string{}
	for _, h := range held {
		documents += h.Documents
		if len(names) < maxLookAt {
			names = append(names, h.Item.Entry+" / "+harvest.Redact(h.Item.Key))
		}
	}
	text := fmt.Sprintf("; %d stay, listed by %s", documents, strings.Join(names, ", "))
	if more := len(held) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// sweep deletes batch after batch. Between two it may be stopped like an item
// between two pages; the next attempt goes on.
func (r *itemRun) sweep() (deleted int, out rows.Swept, err error) {
	in := r.sweeping()
	var held []rows.Kept
	for {
		in.At = r.Now()
		err = r.persist(r.name, func(ctx context.Context) (err error) {
			out, err = r.seam.Sweep(ctx, in)
			return err
		})
		held = rows.AddKept(held, out.Kept)
		out.Kept = held
		deleted += out.Deleted
		r.tally.Deleted += out.Deleted
		r.noteProgress(r.name, nil, r.tally)
		switch {
		case err != nil || out.Void != "" || out.Next.Done:
			return deleted, out, err
		case r.quitting():
			return deleted, out, errHandBack
		case r.late(r.Now()):
			return deleted, out, errNextTick
		}
		in.After = out.Next
	}
}

func (r *itemRun) sweeping() rows.Sweep {
	w := rows.Sweep{
		Run: r.session.run.ID, Ord: r.item.Ord, Epoch: r.epoch, Item: r.write().Item, Collection: r.entry.Collection(r.campaign.Name),
		Pass: r.pass.number, Whole: len(r.start.Items) == 0 && r.start.RetryOf == "",
	}
	for i := range r.campaign.Entries {
		if e := &r.campaign.Entries[i]; e.Collection(r.campaign.Name) == w.Collection {
			w.Entries = append(w.Entries, e.Name)
		}
	}
	return w
}
