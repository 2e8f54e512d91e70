package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// PauseAll pauses every campaign of a project ("" is all) that is not paused
// yet, each with p, whose Token must be set, and returns their names. Called
// again with the same token after an error it completes.
func (r *Planner) PauseAll(ctx context.Context, project string, p rows.Pause) ([]string, error) {
	if p.Token == "" {
		return nil, errors.New("pause all: a token is needed, so that resume can undo this pause only")
	}
	return r.all(ctx, project, func(c rows.Campaign) bool { return c.Paused == nil || c.Paused.Token == p.Token }, func(c rows.Campaign) error {
		return r.hold(ctx, c, &p, rows.Event{At: p.At, By: p.By, Verb: "pause", On: c.Name, Note: p.Note})
	})
}

// ResumeAll resumes the campaigns that one PauseAll paused, and no others. An empty
// token means the last PauseAll.
func (r *Planner) ResumeAll(ctx context.Context, project, token, by string, now time.Time) ([]string, error) {
	if token == "" {
		var err error
		if token, err = r.lastToken(ctx, project); err != nil || token == "" {
			return nil, err
		}
	}
	return r.all(ctx, project, func(c rows.Campaign) bool { return c.Paused != nil && c.Paused.Token == token }, func(c rows.Campaign) error {
		return r.hold(ctx, c, nil, rows.Event{At: now, By: by, Verb: "resume", On: c.Name})
	})
}

func (r *Planner) lastToken(ctx context.Context, project string) (string, error) {
	list, err := r.store.Campaigns(ctx, project, false)
	if err != nil {
		return "", fmt.Errorf("read the campaigns of the store: %w", err)
	}
	token, at := "", time.Time{}
	for _, c := range list {
		if p := c.Paused; p != nil && p.Token != "" && !p.At.Before(at) {
			token, at = p.Token, p.At
		}
	}
	return token, nil
}

func (r *Planner) all(ctx context.Context, project string, which func(rows.Campaign) bool, do func(rows.Campaign) error) ([]string, error) {
	list, err := r.store.Campaigns(ctx, project, false)
	if err != nil {
		return nil, fmt.Errorf("read the campaigns of the store: %w", err)
	}
	slices.SortFunc(list, func(a, b rows.Campaign) int { return strings.Compare(a.Name, b.Name) })
	var done []string
	for _, c := range list {
		if !c.Removed.IsZero() || !which(c) {
			continue
		}
		if err := do(c); err != nil {
			return done, err
		}
		done = append(done, c.Name)
	}
	return done, nil
}
