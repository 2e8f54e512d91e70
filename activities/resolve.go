package activities

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// order is a start that was understood.
type order struct {
	campaign *campaigns.Campaign
	version  int
	trigger  steps.Trigger
}

// refusal is a start that makes no run, in words for the person who started it.
type refusal struct {
	outcome outcomes.Outcome
	why     string
}

func (r *refusal) Error() string { return r.why }

func refuse(format string, args ...any) error {
	return &refusal{outcome: outcomes.Misconfigured, why: fmt.Sprintf(format, args...)}
}

// resolve finds out what is to be run. What only a person can put right is a
// *refusal; the order is then whole when its campaign is set.
func (a *Activities) resolve(ctx context.Context, in steps.OpenRunIn) (order, error) {
	o := order{}
	var err error
	ref, withPassword := references.FirstInJSON(in.Start.Params), references.AddressWithPassword(in.Start.Params)
	switch s := in.Start; {
	case len(s.Unknown) > 0:
		err = refuse("%s", unknownKey(s.Unknown[0]))
	case ref != "":
		err = refuse("%s: references to secrets are resolved only where they stand in a campaign file, never in the params of a start; write it under params there", ref)
	case withPassword != "":
		err = refuse("a password has no place in the params of a start; write %s in a campaign file", withPassword)
	case s.Campaign != "" && s.Fetcher != "":
		err = refuse("a start names a campaign or a fetcher, not both; campaign is %q, fetcher is %q", s.Campaign, s.Fetcher)
	case s.Campaign != "":
		o.campaign, o.version, err = a.named(ctx, s.Campaign, s.Definition)
	case s.Fetcher != "":
		o.campaign, o.version, err = a.adhoc(ctx, in)
	default:
		err = refuse(`a start must say what to run: {"campaign":"news"} or {"fetcher":"feed","params":{"url":"https://…"}}`)
	}
	if err != nil {
		return order{}, err
	}
	o.trigger = trigger(o.campaign, in)
	return o, errors.Join(a.fetchersKnown(o.campaign), refreshes(o.campaign, in.Start))
}

// unknownKey names the key that was perhaps meant.
func unknownKey(key string) string {
	if near := wording.Nearest(key, append(steps.StartKeys(), "window.from", "window.until")); near != "" {
		return fmt.Sprintf("a start has no key %q; did you mean %s?", key, near)
	}
	return fmt.Sprintf("a start has no key %q; there are %s", key, strings.Join(steps.StartKeys(), ", "))
}

func (a *Activities) named(ctx context.Context, name, ref string) (*campaigns.Campaign, int, error) {
	row, err := a.Store.Campaign(ctx, name)
	if errors.Is(err, rows.ErrNotFound) {
		return nil, 0, a.noCampaign(ctx, name)
	}
	if err != nil {
		return nil, 0, err
	}
	if !row.Removed.IsZero() {
		return nil, 0, refuse("campaign %s was removed on %s; apply its file again to bring it back", name, row.Removed.UTC().Format(time.DateOnly))
	}
	version, err := versionOf(row, ref)
	if err != nil {
		return nil, 0, err
	}
	c, err := a.definition(ctx, row.Name, version)
	if errors.Is(err, rows.ErrNotFound) {
		return nil, 0, refuse("there is no definition %s; the current one is %s", rows.Ref(row.Name, version), rows.Ref(row.Name, row.Definition.Version))
	}
	return c, version, err
}

// versionOf reads a reference like "news@7"; an empty one is the current. The
// name before the @ may be a former one.
func versionOf(row rows.Campaign, ref string) (int, error) {
	if ref == "" {
		return row.Definition.Version, nil
	}
	_, number, _ := strings.Cut(ref, "@")
	version, err := strconv.Atoi(number)
	if err != nil || version < 1 {
		return 0, refuse("definition %q: it is written %s", ref, rows.Ref(row.Name, max(1, row.Definition.Version)))
	}
	return version, nil
}

func (a *Activities) noCampaign(ctx context.Context, name string) error {
	known, err := a.Store.Campaigns(ctx, "", false)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(known))
	for _, c := range known {
		names = append(names, c.Name)
	}
	if near := wording.Nearest(name, names); near != "" {
		return refuse("there is no campaign %s in this store; did you mean %s?", name, near)
	}
	return refuse("there is no campaign %s in this store; apply its file first: starter campaigns apply FILE (there are %d: starter campaigns list)", name, len(names))
}

// adhoc applies a fetcher with params as a campaign of its own, so that its run
// has a definition, checkpoints and documents like any other.
func (a *Activities) adhoc(ctx context.Context, in steps.OpenRunIn) (*campaigns.Campaign, int, error) {
	kind, err := a.Fetchers.Find(in.Start.Fetcher)
	if err != nil {
		return nil, 0, refuse("%s", err)
	}
	if in.Start.Params, err = kind.Imply(in.Start.Fetcher, in.Start.Params); err != nil {
		return nil, 0, refuse("%s", err)
	}
	if problems := paramspec.Check(in.Start.Params, kind.Params); len(problems) > 0 {
		return nil, 0, refuse("%s", paramProblems(kind.Name, problems))
	}
	c := campaigns.Adhoc(kind.Name, in.Start.Params, in.Start.Processors)
	spec, err := c.Canonical()
	if err != nil {
		return nil, 0, err
	}
	applied, err := a.Store.Apply(ctx, rows.Application{
		Project: adhocProject, Author: in.Start.TriggeredBy, At: a.Now(),
		Campaigns: []rows.ApplyCampaign{{Name: c.Name, Digest: harvest.Digest(spec), Spec: spec}},
	})
	if err != nil {
		return nil, 0, fmt.Errorf("keep the definition of %s: %w", c.Name, err)
	}
	if len(applied) != 1 {
		return nil, 0, fmt.Errorf("keep the definition of %s: the store answered %d definitions", c.Name, len(applied))
	}
	return &c, applied[0].Version, nil
}

// adhocProject keeps ad-hoc campaigns apart from those of files, so that no
// --prune sees them.
const adhocProject = "adhoc"

func paramProblems(fetcher string, problems []paramspec.Problem) string {
	texts := make([]string, 0, len(problems))
	for _, p := range problems {
		texts = append(texts, strings.TrimSpace(p.Field+" "+p.Text))
	}
	return "params of " + fetcher + ": " + strings.Join(texts, "; ")
}

func (a *Activities) fetchersKnown(c *campaigns.Campaign) error {
	for _, e := range c.Entries {
		if _, err := a.Fetchers.Find(e.Fetcher); err != nil {
			return refuse("campaign %s: %s; or this worker was built without it", c.Name, err)
		}
	}
	return nil
}

// trigger corrects what the start says of itself: the Web UI's own button starts
// the schedule's action at a moment at which nothing was due.
func trigger(c *campaigns.Campaign, in steps.OpenRunIn) steps.Trigger {
	switch in.Start.Trigger {
	case steps.TriggerRetry, steps.TriggerBackfill, steps.TriggerRegistry:
		return in.Start.Trigger
	}
	if c.Schedule == nil || in.DueAt.IsZero() || !due(*c.Schedule, in.DueAt) {
		return steps.TriggerHand
	}
	return steps.TriggerSchedule
}

// due reports whether the schedule fires at a moment, to the second: Temporal
// names due times without fractions.
func due(s campaigns.Schedule, at time.Time) bool {
	next := s.Next(at.Add(-time.Second), 1)
	return len(next) == 1 && next[0].Sub(at).Abs() <= time.Second
}
