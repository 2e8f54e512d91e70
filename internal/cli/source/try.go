package source

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/trial"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Try fetches with a polite client and writes what comes. A source is signed in to by
// auth, with references.
func Try(ctx context.Context, p *program.Program, kind fetchers.Kind, req harvest.Request, n NetworkFlags, auth *visit.Auth, strict bool) error {
	client, err := Polite(p, &n)
	if err != nil {
		return err
	}
	defer client.Close()
	params, found, err := ResolveSecrets(p, req.Params)
	if err != nil {
		return err
	}
	signIn, hidden, err := ResolveAuth(p, auth)
	if err != nil {
		return err
	}
	req.Params = params
	hides, rec, moves := secrets.NewGrowing(append(found, hidden...)), &trial.Recorder{}, &visit.Moves{}
	req.Checkpoint = hides.Mask().Restore(req.Checkpoint)
	list := p.Lines()
	visitor := n.Visitor(kind, rec.Record)
	visitor.Moved, visitor.Auth, visitor.Granted = moves.Note, signIn, hides.Granted
	show := func(page harvest.Page) harvest.Page {
		page.Warnings = append(moves.Warnings(params), page.Warnings...)
		return hides.Mask().Page(page)
	}
	t, err := trial.Run(ctx, kind.New(client.HTTP(visitor)), req, rec, show, func(d *harvest.Document) error {
		list.Add(rows.NewLine(kind.Name, d))
		return p.Out.Err()
	})
	list.End()
	if err != nil {
		return fmt.Errorf("write documents: %w", err)
	}
	if t.Err != nil {
		t.Err = harvest.AsError(auth.Explain(t.Err))
		t.Outcome = outcomes.OfKind(t.Err.Kind)
	}
	report(p, t, hides.Mask())
	return tryExit(t.Outcome, strict)
}

func report(p *program.Program, t trial.Trial, mask *secrets.Mask) {
	for _, r := range t.Rejects {
		p.Say("unreadable  %s: %s", print.Dash(print.Clean(r.ID)), print.Clean(r.Reason))
	}
	for _, w := range t.Warnings {
		p.Say("warning     %s", print.Clean(w))
	}
	if len(t.Checkpoint) > 0 {
		p.Say("checkpoint  %s", t.Checkpoint)
	}
	p.Say("%-11s %s", t.Outcome, trialCounts(t))
	if t.Stopped {
		p.Say("stopped     at the limit, there may be more: --limit N ends after N documents, --limit 0 reads all")
	}
	if t.Err != nil {
		p.Say("why         %s: %s", t.Err.Kind, print.Clean(mask.Text(t.Err.Error())))
		if t.Err.RetryAfter > 0 {
			p.Say("            the source asks to be left alone for %s", print.Duration(t.Err.RetryAfter))
		}
	}
}

func trialCounts(t trial.Trial) string {
	text := print.Count(t.Tally.New, "document")
	if t.Tally.Deleted > 0 {
		text += " · " + print.Number(t.Tally.Deleted) + " deleted"
	}
	if t.Tally.Quarantined > 0 {
		text += " · " + print.Number(t.Tally.Quarantined) + " unreadable"
	}
	return text + fmt.Sprintf(" · %s listed · %s · %s · %s · %s", print.Number(t.Tally.Listed), print.Count(t.Tally.Pages, "page"),
		print.Count(t.Tally.Asked, "request"), print.Bytes(t.Tally.Bytes), print.Duration(t.Took.Round(100*time.Millisecond)))
}

func tryExit(o outcomes.Outcome, strict bool) error {
	switch {
	case o == outcomes.Cancelled:
		return program.Quiet(program.ExitInterrupted)
	case o.Severity() == outcomes.Bad:
		return program.Quiet(program.ExitRunFailed)
	case o.Severity() == outcomes.Warn && strict:
		return program.Quiet(program.ExitWarnings)
	default:
		return nil
	}
}
