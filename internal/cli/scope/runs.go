package scope

import (
	"context"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func OpenRuns(ctx context.Context, p *program.Program, s program.Store, campaign string) ([]rows.Run, error) {
	all, err := s.OpenRuns(ctx)
	var out []rows.Run
	for _, r := range all {
		if r.Campaign == campaign {
			out = append(out, r)
		}
	}
	return out, err
}

// NamedRun opens the store and finds the run that is meant.
func NamedRun(ctx context.Context, p *program.Program, ref string) (program.Store, rows.Run, error) {
	s, err := p.Store(ctx)
	if err != nil {
		return nil, rows.Run{}, err
	}
	r, err := FindRun(ctx, p, s, ref)
	return s, r, err
}

// FindRun resolves what people call a run; an absent one is explained.
func FindRun(ctx context.Context, p *program.Program, s program.Store, ref string) (rows.Run, error) {
	r, err := s.FindRun(ctx, ref)
	if !errors.Is(err, rows.ErrNotFound) {
		return r, err
	}
	if c, cerr := s.Campaign(ctx, ref); cerr == nil {
		return r, fmt.Errorf("run %s: this campaign has not run yet; `starter why %s` says why, `starter trigger --campaign %s` starts one", ref, c.Name, c.Name)
	}
	return r, program.Usage("run %s: there is no such run in %s%s; see `starter runs list`", ref, p.StoreName(s), nearCampaign(ctx, p, s, ref))
}
