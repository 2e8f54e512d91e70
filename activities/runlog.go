package activities

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

const (
	// logEvery is how soon a line is in the store, logBatch how many lines are written
	// at once, and logMost how many wait at most: what comes then is lost.
	logEvery = time.Second
	logBatch = 500
	logMost  = 5000
	// logTime bounds one write.
	logTime = 10 * time.Second
)

// runLogs gathers what is logged about runs and writes it beside the work. It is safe
// for many goroutines.
type runLogs struct {
	keep func(context.Context, []rows.LogLine) error
	log  *slog.Logger

	mu    sync.Mutex
	lines []rows.LogLine
	timer *time.Timer // nil: nothing waits
	write sync.Mutex  // held while lines are written
}

func (l *runLogs) add(line rows.LogLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) >= logMost {
		return
	}
	l.lines = append(l.lines, line)
	if l.timer == nil {
		l.timer = time.AfterFunc(logEvery, l.flush)
	}
}

// flush writes what waits. What cannot be written is lost: a log must not hold up what
// it tells of.
func (l *runLogs) flush() {
	l.write.Lock()
	defer l.write.Unlock()
	l.mu.Lock()
	lines := l.lines
	l.lines, l.timer = nil, nil
	l.mu.Unlock()
	for len(lines) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), logTime)
		n := min(len(lines), logBatch)
		if err := l.keep(ctx, lines[:n]); err != nil {
			l.log.Warn("lines about runs were not kept in the store", "lines", len(lines), "error", err)
			n = len(lines)
		}
		cancel()
		lines = lines[n:]
	}
}

// runHandler sends what is logged about a run where the process logs, and to the
// store. The campaign's level holds for both, where it lets more pass.
type runHandler struct {
	slog.Handler
	logs   *runLogs
	level  slog.Level
	run    int64
	worker string
	more   []slog.Attr
}

// Enabled implements slog.Handler.
func (h runHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.level || h.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h runHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.Handler = h.Handler.WithAttrs(attrs)
	h.more = append(h.more[:len(h.more):len(h.more)], attrs...)
	return h
}

// WithGroup implements slog.Handler; the store's lines have no groups.
func (h runHandler) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

// Handle implements slog.Handler.
func (h runHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= h.level {
		h.logs.add(h.line(r))
	}
	return h.Handler.Handle(ctx, r)
}

func (h runHandler) line(r slog.Record) rows.LogLine {
	line := rows.LogLine{Run: h.run, At: r.Time, Level: r.Level, Worker: h.worker, Message: r.Message}
	var b strings.Builder
	each := func(a slog.Attr) bool {
		switch a.Key {
		case "run", "campaign": // known
		case "item":
			line.Item = a.Value.String()
		default:
			fmt.Fprintf(&b, " %s=%s", a.Key, quotedValue(a.Value.String()))
		}
		return true
	}
	for _, a := range h.more {
		each(a)
	}
	r.Attrs(each)
	line.More = strings.TrimSpace(b.String())
	return line
}

func quotedValue(s string) string {
	if s == "" || strings.ContainsAny(s, " \"=\n") {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// runLogger is the logger about a run.
func (a *Activities) runLogger(run rows.Run, c *campaigns.Campaign) *slog.Logger {
	level := slog.LevelInfo
	if c != nil && c.Log != "" {
		_ = level.UnmarshalText([]byte(c.Log)) // the file was checked
	}
	h := runHandler{Handler: a.Log.Handler(), logs: a.logs, level: level, run: run.ID, worker: a.Worker}
	return slog.New(h).With("run", run.WorkflowID, "campaign", run.Campaign)
}

// Flush writes what was logged about runs; call it when no activity runs any more.
func (a *Activities) Flush() { a.logs.flush() }
