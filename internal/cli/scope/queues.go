package scope

import (
	"context"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Queues are the task queues of this instance that campaigns use, by their whole
// names; the first is the one for workflows and short steps.
func Queues(ctx context.Context, p *program.Program, s program.Store) ([]string, error) {
	fetch, err := FetchQueues(ctx, p, s)
	return append([]string{p.Queue(steps.QueueControl)}, fetch...), err
}

// FetchQueues are those of Queues that items come by.
func FetchQueues(ctx context.Context, p *program.Program, s program.Store) ([]string, error) {
	out := []string{p.Queue(steps.QueueFetch)}
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return nil, err
	}
	for _, row := range list {
		camp, err := campaigns.Decode(row.Definition.Spec)
		if err != nil {
			continue // `campaigns show` tells; a list of queues must not depend on it
		}
		for _, e := range camp.Entries {
			if q := p.Queue(e.Queue); e.Queue != "" && !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	return out, nil
}
