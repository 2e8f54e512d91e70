package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/terminal"
)

// killAt is the share of the library's records after which the worker is killed.
const killAt = 0.37

// kill is what became of the worker.
type kill struct {
	done    bool
	at      time.Time
	records int           // committed by then
	resume  time.Duration // until the next page was committed; 0: not yet
}

// view is one campaign's line.
type view struct {
	run    rows.Run
	known  bool
	closed int
	docs   int
}

// watch draws progress until all runs have ended, and kills the worker once.
func (s *show) watch(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	screen := &screen{out: s.Out, redraw: s.Screen}
	for {
		views, err := s.look(ctx)
		if err != nil {
			return err
		}
		screen.draw(s.lines(views))
		if ended(views) {
			fmt.Fprintln(s.Out)
			return nil
		}
		if err := s.killInTheMiddle(ctx, views[0]); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func (s *show) look(ctx context.Context) ([]view, error) {
	views := make([]view, len(s.runs))
	for i, r := range s.runs {
		run, known, err := s.row(ctx, r)
		if err != nil {
			return nil, err
		}
		if views[i] = (view{run: run, known: known}); !known {
			continue
		}
		totals, err := s.store.Totals(ctx, run.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range totals {
			views[i].docs += t.Tally.Documents()
			if t.Outcome != "" {
				views[i].closed += t.Items
			}
		}
	}
	return views, nil
}

func ended(views []view) bool {
	for _, v := range views {
		if !v.known || v.run.State != rows.RunClosed {
			return false
		}
	}
	return true
}

// killInTheMiddle sends SIGKILL to the worker when the library is far enough,
// and starts it again at once: what follows is Temporal's and the store's doing.
func (s *show) killInTheMiddle(ctx context.Context, library view) error {
	if s.kill.done {
		if s.kill.resume == 0 && library.docs > s.kill.records {
			s.kill.resume = time.Since(s.kill.at)
		}
		return nil
	}
	if !library.known || library.run.State == rows.RunClosed || float64(library.docs) < killAt*float64(s.sources.records()) {
		return nil
	}
	s.house.Worker.Kill()
	s.kill = kill{done: true, at: time.Now(), records: library.docs}
	return s.house.StartWorker(ctx)
}

// lines are what the screen shows, one for each campaign.
func (s *show) lines(views []view) []string {
	var lines []string
	for i, v := range views {
		name, took := s.runs[i].campaign, time.Since(s.runs[i].at)
		if v.run.State == rows.RunClosed {
			took = v.run.ClosedAt.Sub(v.run.StartedAt)
		}
		done, total, unit := int64(v.closed), int64(v.run.Items), map[string]string{newsCampaign: "feeds"}[name]
		if unit == "" {
			unit = "items"
		}
		if name == libraryCampaign && v.known {
			done, total, unit = int64(v.docs), int64(s.sources.records()), "records"
			if v.run.State == rows.RunClosed {
				total = done
			}
		}
		note := ""
		if total == 0 {
			note = "starting"
		}
		if s.kill.done && s.kill.resume == 0 {
			note = "worker killed"
		}
		lines = append(lines, fmt.Sprintf("  %-14s %s  %5s of %-5s %-7s %-14s %s",
			name, print.Bar(done, total), print.Number(done), print.Number(total), unit, note, print.Watch(took)))
	}
	return lines
}

// screen redraws lines on a terminal; elsewhere it writes them when they have
// changed, at most once a second.
type screen struct {
	out    io.Writer
	redraw bool
	drawn  int
	last   []string
	at     time.Time
}

func (c *screen) draw(lines []string) {
	if c.redraw {
		if c.drawn > 0 {
			_ = terminal.Own(c.out, fmt.Sprintf("\x1b[%dA", c.drawn))
		}
		for _, line := range lines {
			_ = terminal.Own(c.out, "\r\x1b[K"+print.Clean(line)+"\n")
		}
		c.drawn = len(lines)
		return
	}
	if time.Since(c.at) < time.Second && c.last != nil {
		return
	}
	for i, line := range lines {
		if c.last == nil || i < len(c.last) && !strings.EqualFold(c.last[i], line) {
			fmt.Fprintln(c.out, line)
		}
	}
	c.last, c.at = lines, time.Now()
}
