package demo

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// tell prints the table, the proof and what to type next.
func (s *show) tell(ctx context.Context) error {
	var table []print.RunRow
	var sum proof
	for _, r := range s.runs {
		row, err := s.ended(ctx, r)
		if err != nil {
			return err
		}
		table = append(table, row)
		p, err := s.prove(ctx, r)
		if err != nil {
			return err
		}
		sum = sum.add(p)
	}
	fmt.Fprintf(s.Out, "%s%s", print.Ended(table...), s.sentence(sum))
	if sum.lost+sum.doubled > 0 {
		return fmt.Errorf("%d documents lost and %d doubled: this is a defect, please report it with %s/dev.log", sum.lost, sum.doubled, s.Dir)
	}
	return nil
}

// advise names commands that work now: those that ask the server only while it
// is there.
func (s *show) advise(context.Context) error {
	db := filepath.Join(filepath.Base(s.Dir), "demo.db")
	if s.Once {
		fmt.Fprintf(s.Out, adviceAfter, db, s.runs[0].campaign)
		return nil
	}
	fmt.Fprintf(s.Out, advice, db, s.runs[0].campaign, s.house.Server.UI)
	return nil
}

const adviceAfter = `
Everything above is real but the sources. The server has stopped; what was
collected can be looked at without one:
  export PATH=$PWD/bin:$PATH VENDEMMIA_STORE=%s
  starter runs show demo-feeds                  why it is not all green
  starter documents list --campaign %s --limit 5
With the server and its Web UI, until Ctrl-C:  starter dev --demo
`

const advice = `
Everything above is real but the sources. Now yours, in another terminal:
  export PATH=$PWD/bin:$PATH VENDEMMIA_STORE=%s
  starter why demo-feeds                        why it is not all green
  starter probe https://www.ansa.it/sito/ansait_rss.xml
                                                what is it? prints the YAML
  starter documents list --campaign %s --limit 5
Web UI: %s/namespaces/default/schedules/campaign-demo-feeds
`

func (s *show) ended(ctx context.Context, r *started) (print.RunRow, error) {
	run, _, err := s.row(ctx, r)
	if err != nil {
		return print.RunRow{}, err
	}
	totals, err := s.store.Totals(ctx, run.ID)
	return print.RunRow{
		Campaign: r.campaign, Outcome: run.Outcome, Items: run.Items, Tally: run.Tally, Look: lookAt(totals),
		Took: print.Watch(run.ClosedAt.Sub(run.StartedAt)),
	}, err
}

// lookAt are the outcomes that need attention, with how many.
func lookAt(totals []rows.OutcomeCount) []string {
	var look []string
	for _, t := range totals {
		if t.Outcome.Severity() != outcomes.OK {
			look = append(look, fmt.Sprintf("%d %s", t.Items, t.Outcome))
		}
	}
	slices.Sort(look)
	return look
}

// proof is what the store holds against what the sources hold.
type proof struct {
	stored, lost, doubled int
	twice                 int // pages asked for again
}

func (p proof) add(o proof) proof {
	return proof{p.stored + o.stored, p.lost + o.lost, p.doubled + o.doubled, p.twice + o.twice}
}

// prove counts one campaign. A page was asked for twice when the source was
// asked and no ledger line of the run tells of it: its worker died before the
// page was committed.
func (s *show) prove(ctx context.Context, r *started) (p proof, err error) {
	seen := map[string]int{}
	for c, err := range s.store.Changes(ctx, rows.ChangeFilter{Campaign: r.campaign}) {
		if err != nil {
			return p, err
		}
		if first := c.Op == "new" || c.Op == "deleted" && seen[c.Document.Line.ID] == 0; first {
			seen[c.Document.Line.ID]++
		}
	}
	p.stored = len(seen)
	for _, n := range seen {
		p.doubled += n - 1
	}
	for _, id := range s.sources.holds(r.campaign) {
		if seen[id] == 0 {
			p.lost++
		}
	}
	now, err := s.store.Counts(ctx, r.campaign)
	p.twice = s.sources.requests(r.campaign) - r.asked - int(now.Exchanges-r.known.Exchanges)
	return p, err
}

// sentence is the proof in words.
func (s *show) sentence(p proof) string {
	counts := fmt.Sprintf("%s stored once each, %d lost, %d doubled", print.Count(p.stored, "document"), p.lost, p.doubled)
	if !s.kill.done {
		return fmt.Sprintf("nothing was new, so there was no middle to kill the worker in;\n%s\n", counts)
	}
	return fmt.Sprintf("the worker was killed (SIGKILL) at record %s and went on after %s:\n%s, %s asked for twice\n",
		print.Number(s.kill.records), print.Watch(max(s.kill.resume, time.Second)), counts, print.Count(p.twice, "page"))
}
