package planner

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// digest identifies the wanted state together with the found one. It does not depend on
// the time or the author.
func (v *view) digest(in Input) (string, error) {
	type line struct {
		Name, Want, Action string
		Was                []string
		Paused             *string
		Have               string
		HavePaused         *rows.Pause
		Note               string
		ServerPaused       bool
		Spec               string
	}
	lines := make([]line, 0, len(v.tasks))
	for _, t := range v.tasks {
		l := line{Name: t.name, Want: t.digest, Was: t.former, Action: string(t.change.Action)}
		if t.source != nil && t.source.Campaign.Paused != nil {
			text := fmt.Sprint(*t.source.Campaign.Paused)
			l.Paused = &text
		}
		if t.stored != nil {
			l.Have = rows.Ref(t.stored.Name, t.stored.Definition.Version) + " " + t.stored.Definition.Digest
			l.HavePaused = t.stored.Paused
		}
		if e := t.server; e != nil {
			l.Note, l.ServerPaused, l.Spec = e.note, e.paused, specKey(e.spec)
		}
		lines = append(lines, l)
	}
	raw, err := json.Marshal(map[string]any{
		"project": in.Loaded.Project, "prune": in.Prune, "adopt": in.Adopt, "campaigns": lines, "hosts": v.plan.Hosts,
	})
	if err != nil {
		return "", fmt.Errorf("name the plan: %w", err)
	}
	return strings.TrimPrefix(harvest.Digest(raw), "sha256:")[:16], nil
}

// specKey covers only what a list of schedules returns.
func specKey(s scheduleSpec) string {
	s.Intervals, s.Calendars, s.Skip = head(s.Intervals, listLimit), head(s.Calendars, listLimit), head(s.Skip, listLimit)
	var b strings.Builder
	for _, d := range specDifferences(scheduleSpec{}, s, time.UTC) {
		b.WriteString(d.Path + "=" + d.New + "\n")
	}
	return b.String()
}

// minPlan is the length of the shortest accepted prefix of a plan's digest.
const minPlan = 4

func checkPlan(p *Plan, given string) error {
	given = strings.TrimPrefix(given, "#")
	if given == "" || len(given) >= minPlan && strings.HasPrefix(p.Digest, strings.ToLower(given)) {
		return nil
	}
	if len(given) < minPlan {
		return fmt.Errorf("plan %q: give at least its first %d digits", given, minPlan)
	}
	return fmt.Errorf("%w: it was %s, now it is %s; look again: starter campaigns plan", ErrMoved, given, p.Digest[:minPlan])
}
