package planner

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// suggestWas suggests `was` for new campaigns that have the addresses of one that is no
// longer in any file.
func (r *Planner) suggestWas(ctx context.Context, tasks []*task) error {
	var gone, came []*task
	for _, t := range tasks {
		switch {
		case t.change.Mark == MarkGone && t.old != nil:
			gone = append(gone, t)
		case t.change.Mark == MarkNew && t.removed == nil:
			came = append(came, t)
		}
	}
	if len(gone) == 0 || len(came) == 0 {
		return nil
	}
	theirs := make([]map[string]bool, len(gone))
	for i, g := range gone {
		var err error
		if theirs[i], err = r.storedAddresses(ctx, *g.old); err != nil {
			return err
		}
	}
	for _, c := range came {
		own, err := r.addresses(c.source.Campaign, func(e campaigns.Entry) ([]campaigns.Row, error) { return c.source.Rows(e), nil })
		if err != nil {
			return err
		}
		for i, g := range gone {
			if n := common(own, theirs[i]); n > 0 && 2*n >= len(theirs[i]) {
				c.change.Warnings = append(c.change.Warnings, fmt.Sprintf(
					"has %d of the %s of %s, which is no longer in any file; renamed? write was: %s here before the first apply, and its checkpoints and documents come along",
					n, pluralOf(len(theirs[i]), "address", "addresses"), g.name, g.name))
			}
		}
	}
	return nil
}

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return wording.Number(int64(n)) + " " + many
}

func common(a, b map[string]bool) (n int) {
	for address := range a {
		if b[address] {
			n++
		}
	}
	return n
}

func (r *Planner) storedAddresses(ctx context.Context, c campaigns.Campaign) (map[string]bool, error) {
	return r.addresses(c, func(e campaigns.Entry) ([]campaigns.Row, error) { return r.storedRows(ctx, e) })
}

func (r *Planner) addresses(c campaigns.Campaign, list func(campaigns.Entry) ([]campaigns.Row, error)) (map[string]bool, error) {
	out := map[string]bool{}
	for _, e := range c.Entries {
		rows, err := list(e)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if address := r.address(e, row); address != "" {
				out[address] = true
			}
		}
	}
	return out, nil
}

func (r *Planner) address(e campaigns.Entry, row campaigns.Row) string {
	return e.Address(row, r.identity(e.Fetcher))
}

// mostTwice is how many items with a duplicate address a plan names.
const mostTwice = 3

func (r *Planner) twice(s campaigns.Source) []string {
	var out []string
	for _, p := range s.Twice(r.settings.Lookup) {
		if len(out) == mostTwice {
			return append(out, "and more of these: starter campaigns validate")
		}
		out = append(out, p.Text)
	}
	return out
}

// renamedRows says of a row that came which one that went had its address.
func (r *Planner) renamedRows(c *ItemChange, old, now campaigns.Entry, before, after map[string]campaigns.Row) {
	went := map[string]string{}
	for _, change := range c.Rows {
		if change.Mark == MarkGone {
			if address := r.address(old, before[change.Key]); address != "" {
				went[address] = change.Key
			}
		}
	}
	if len(went) == 0 {
		return
	}
	for i, change := range c.Rows {
		if change.Mark != MarkNew {
			continue
		}
		if key := went[r.address(now, after[change.Key])]; key != "" {
			c.Rows[i].Text = fmt.Sprintf("has the address of %s, which goes; renamed? write was: %s in its row before the apply, or it begins anew", key, key)
		}
	}
}
