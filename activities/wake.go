package activities

import (
	"context"
	"errors"
	"fmt"
)

// byClock is who resumed when a pause was over by itself.
const byClock = "its --until"

// wake resumes campaigns whose pause is over.
func (a *Activities) wake(ctx context.Context) error {
	if a.Resume == nil {
		return nil
	}
	all, err := a.Store.Campaigns(ctx, "", false)
	if err != nil {
		return err
	}
	var failed []error
	for _, c := range all {
		if c.Paused == nil || c.Paused.Holds(a.Now()) {
			continue
		}
		if err := a.Resume(ctx, c.Name, byClock, a.Now()); err != nil {
			failed = append(failed, fmt.Errorf("resume campaign %s, whose pause is over: %w", c.Name, err))
		}
	}
	return errors.Join(failed...)
}
