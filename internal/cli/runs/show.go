package runs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

type runsShow struct {
	*program.Program
	all    bool
	strict bool
	limit  int
}

func newRunsShow(p *program.Program) *cobra.Command {
	c := &runsShow{Program: p}
	cmd := &cobra.Command{
		Use: "show RUN", Short: "Show what a run brought, cost, and what needs attention",
		Long: "Show a run: its outcome, its cost, and every item that needs attention with its\n" +
			"attempts, why, and what happens next by itself.\n\n" + runRefs,
		Example: "  starter runs show news~1",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteRuns,
	}
	f := cmd.Flags()
	f.BoolVarP(&c.all, "all", "a", false, "every item, not only those that need attention")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	f.IntVar(&c.limit, "limit", 10, "show the attempts of at most so many items; 0: all")
	return cmd
}

func (c *runsShow) run(cmd *cobra.Command, args []string) error {
	s, r, err := scope.NamedRun(cmd.Context(), c.Program, args[0])
	if err != nil {
		return err
	}
	v, err := c.view(cmd.Context(), s, r, args[0])
	if err != nil {
		return err
	}
	c.Out.Value(v)
	c.Out.Printf("%s", runScreen(v, c.Clock))
	return program.Quiet(v.Exit)
}

// runView is all that `runs show` tells: as JSON for programs, as a screen for
// people.
type runView struct {
	rows.Run
	// Ending is how it ended, in the four words of whoever asked for the harvest.
	Ending     outcomes.Ending     `json:"ending,omitempty"`
	Ref        string              `json:"-"` // as it was asked for
	Definition rows.Definition     `json:"definition"`
	Totals     []rows.OutcomeCount `json:"totals"`
	Asked      asked               `json:"asked"`
	Actions    int                 `json:"actions,omitempty"`
	WebUI      string              `json:"web_ui,omitempty"`
	Look       []itemView          `json:"look_at"`
	More       int                 `json:"more,omitempty"` // that need attention and are not in Look
	All        []rows.RunItem      `json:"all,omitempty"`
	// Tries are all attempts at the items of Look; with -a, at all items.
	Tries []rows.Try `json:"attempts,omitempty"`
	// Passes are items that are well and whose full pass held something back, or
	// deleted something.
	Passes []rows.RunItem `json:"passes,omitempty"`
	Exit   int            `json:"exit"`
	// Unsent are its notifications that were tried in vain.
	Unsent []rows.Message `json:"unsent,omitempty"`
	// Said is what somebody told the run, the newest first.
	Said []rows.Event `json:"said,omitempty"`
	// EndedThere is how the workflow of an open run has ended in Temporal.
	EndedThere string `json:"ended_in_temporal,omitempty"`
	// Waits is the first item to go on when all that is left waits.
	Waits    *rows.RunItem `json:"waits,omitempty"`
	waitText string
	// Place is what it waits for in its registry's line.
	Place    *rows.Place `json:"place,omitempty"`
	Strict   int         `json:"-"`
	campaign campaigns.Campaign
}

// itemView is one item that needs attention.
type itemView struct {
	rows.RunItem
	Attempted []attempt  `json:"attempted,omitempty"`
	Evidence  []evidence `json:"evidence,omitempty"`
	LastGood  time.Time  `json:"last_good,omitzero"`
	RestUntil time.Time  `json:"rest_until,omitzero"` // of its host
}

// evidence is a failure without its bytes.
type evidence struct {
	ID     int64  `json:"id"`
	Reason string `json:"reason"`
}

// saidLimit is how many words to a run are shown.
const saidLimit = 5

func (c *runsShow) view(ctx context.Context, s program.Store, r rows.Run, ref string) (v runView, err error) {
	v = runView{Run: r, Ending: r.Ending(), Ref: ref, Exit: watch.RunExit(summaryOf(r), c.strict), Strict: watch.RunExit(summaryOf(r), true)}
	if r.State != rows.RunClosed {
		v.Exit, v.Strict = program.ExitOK, program.ExitOK
	}
	if v.Definition, err = s.Definition(ctx, r.Campaign, r.Version); err != nil && !errors.Is(err, rows.ErrNotFound) {
		return v, err
	}
	if len(v.Definition.Spec) > 0 {
		if v.campaign, err = campaigns.Decode(v.Definition.Spec); err != nil {
			return v, err
		}
		v.Definition.Spec = nil
	}
	if v.Totals, err = s.Totals(ctx, r.ID); err != nil {
		return v, err
	}
	if v.Waits, err = watch.Held(ctx, c.Program, s, r); err != nil {
		return v, err
	}
	if v.Waits != nil {
		v.waitText = watch.LabelOf(*v.Waits) + " " + watch.HeldText(c.Program, *v.Waits)
	}
	if place, waits, err := s.PlaceInLine(ctx, r); err != nil {
		return v, err
	} else if waits {
		v.Place, v.waitText = &place, place.Words()
	}
	if err := c.look(ctx, s, &v); err != nil {
		return v, err
	}
	if v.Unsent, err = s.Messages(ctx, rows.MessageFilter{Run: r.ID, Failed: true}); err != nil {
		return v, err
	}
	if v.Said, err = s.Events(ctx, r.WorkflowID, time.Time{}, saidLimit); err != nil {
		return v, err
	}
	c.engineSide(ctx, &v)
	return v, nil
}

// maxPasses is how many items with full passes the screen of a run shows.
const maxPasses = 20

// look collects the items that need one.
func (c *runsShow) look(ctx context.Context, s program.Store, v *runView) error {
	items, err := s.RunItems(ctx, v.ID, rows.ItemFilter{Outcomes: watch.NeedLook(), Worst: true})
	if err != nil {
		return err
	}
	if c.limit > 0 && len(items) > c.limit {
		v.More, items = len(items)-c.limit, items[:c.limit]
	}
	attempts, sum, err := readLedger(ctx, s, v.Run, items)
	if err != nil {
		return err
	}
	v.Asked = sum
	rest, err := resting(ctx, s, c.Env.Now())
	if err != nil {
		return err
	}
	v.Look = make([]itemView, 0, len(items))
	for _, it := range items {
		iv := itemView{RunItem: it, Attempted: attempts[it.Ord], RestUntil: rest[it.Host]}
		if err := history(ctx, s, v.Run, &iv); err != nil {
			return err
		}
		v.Look = append(v.Look, iv)
	}
	v.Passes, err = s.RunItems(ctx, v.ID, rows.ItemFilter{Outcomes: []outcomes.Outcome{outcomes.Done, outcomes.Unchanged}, Passes: true, Limit: maxPasses})
	if err == nil && c.all {
		v.All, err = s.RunItems(ctx, v.ID, rows.ItemFilter{})
	}
	if err != nil || !c.all && len(v.Look) == 0 {
		return err
	}
	var ords []int64
	if !c.all {
		for _, it := range v.Look {
			ords = append(ords, it.Ord)
		}
	}
	v.Tries, err = s.Tries(ctx, v.ID, ords...)
	return err
}

// history adds what is known of the item beside this run.
func history(ctx context.Context, s program.Store, r rows.Run, iv *itemView) error {
	known, err := s.Items(ctx, rows.ItemsFilter{Campaign: r.Campaign, Entry: iv.Entry, Key: iv.Key, Limit: 1})
	if err != nil {
		return err
	}
	last := false
	if len(known) > 0 {
		iv.LastGood, last = known[0].LastGood, known[0].LastRun == r.WorkflowID
	}
	failures, err := s.Failures(ctx, rows.FailureFilter{Campaign: r.Campaign, Entry: iv.Entry, Key: iv.Key, Limit: 50})
	if err != nil {
		return err
	}
	for _, f := range failures { // what this run met, and what it left unread
		if f.Run == r.WorkflowID || last && f.State() == "unread" {
			iv.Evidence = append(iv.Evidence, evidence{ID: f.ID, Reason: f.Reason})
		}
	}
	slices.Reverse(iv.Evidence) // as they came
	return nil
}

// resting returns until when hosts rest that do now.
func resting(ctx context.Context, s program.Store, now time.Time) (map[string]time.Time, error) {
	hosts, err := s.Hosts(ctx)
	out := map[string]time.Time{}
	for _, h := range hosts {
		if h.RestUntil.After(now) {
			out[h.Name] = h.RestUntil
		}
	}
	return out, err
}

// engineSide adds what only Temporal knows, when it answers at once; a run can
// be shown without.
func (c *runsShow) engineSide(ctx context.Context, v *runView) {
	t, err := c.Target()
	if err != nil {
		return
	}
	if ui := webUI(c.Program, t); ui != "" {
		v.WebUI = ui + "/workflows/" + v.WorkflowID + "/" + v.RunID
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	e, err := c.Engine(ctx)
	if err != nil {
		return
	}
	if n, err := e.Actions(ctx, v.WorkflowID, v.RunID); err == nil {
		v.Actions = n
	}
	if v.State == rows.RunClosed {
		return
	}
	if v.EndedThere = watch.EndedThere(ctx, e, v.Run); v.EndedThere == "" {
		v.Paused = pausedNow(ctx, e, v.Run)
	}
}

// pausedNow: only the run itself knows that it holds still; without an answer
// what the store says stands.
func pausedNow(ctx context.Context, e program.RunEngine, r rows.Run) string {
	p, err := e.Progress(ctx, r.WorkflowID)
	if err != nil || p.Paused == "" {
		return r.Paused
	}
	return p.Paused
}
