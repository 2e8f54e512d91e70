package watch

import (
	"context"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// AsApplied reads a campaign in the form that schedules are made of.
func AsApplied(ctx context.Context, s program.Store, name string) (workflows.Applied, error) {
	row, err := s.Campaign(ctx, name)
	if err != nil {
		return workflows.Applied{}, err
	}
	d := row.Definition
	a := workflows.Applied{Version: d.Version, Digest: d.Digest, By: d.Author, File: d.File, Line: d.Line, Commit: d.Commit, At: d.AppliedAt}
	if row.Paused != nil {
		a.Pause = &workflows.Pause{By: row.Paused.By, At: row.Paused.At, Note: row.Paused.Note}
	}
	a.Campaign, err = campaigns.Decode(d.Spec)
	return a, err
}

// Refreshes refuses full passes where a run would refuse them.
func Refreshes(c campaigns.Campaign, in steps.Start) error {
	if !in.Refresh {
		return nil
	}
	if in.Limit > 0 || !in.Window.IsZero() {
		return program.Usage("--refresh lists everything; it does not go with --limit, --from or --until")
	}
	if !slices.ContainsFunc(c.Entries, func(e campaigns.Entry) bool { return e.Refresh > 0 }) {
		return program.Usage("--refresh: no entry of %s says refresh, so it is not known what was listed before; write how often, for example refresh: 90d, and apply", c.Name)
	}
	return nil
}
