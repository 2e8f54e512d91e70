package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: it runs the program once, from the last state that
// was stored behind its records.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Fetcher: f, Out: out, ctx: ctx, req: req, keys: map[string][]string{}}
		if err := r.begin(); err != nil {
			return err
		}
		defer r.room.leave()
		return r.run()
	})
}

// reading is one Fetch under way.
type reading struct {
	*Fetcher
	*pages.Out
	ctx    context.Context
	req    harvest.Request
	params Params
	cp     checkpoint
	room   *room
	prog   program
	config string // its path
	// keys are the members that are ids, by stream.
	keys map[string][]string
	// page collects what comes; since is when the last one was sent, stated whether a
	// state came with or behind what is in it.
	page  harvest.Page
	since time.Time
	// moved: a state came since.
	stated, moved bool
	// messages counts those that were understood, noise other lines.
	messages, noise int
	bytes           int
	// failed is the error that the program itself reported, refresh the config it sent.
	failed  *harvest.Error
	refresh []byte
	total   int64
}

func (r *reading) begin() (err error) {
	if r.params, err = harvest.DecodeParams[Params](r.req.Params); err != nil {
		return err
	}
	path, err := r.find(r.params.Program)
	if err != nil {
		return err
	}
	made, err := r.params.made()
	if err != nil {
		return err
	}
	r.cp = restore(r.req, made)
	if r.room, err = newRoom(); err != nil {
		return err
	}
	silence, err := r.params.silence()
	r.prog = program{path: path, args: slices.Clone(r.params.Args), env: r.env(), dir: r.room.dir, silence: silence}
	if err == nil {
		err = r.prepare()
	}
	if err != nil {
		r.room.leave()
	}
	return err
}

// env is all that the program knows of the worker's environment.
func (r *reading) env() []string {
	path := os.Getenv("PATH")
	env := []string{"PATH=" + path, "HOME=" + r.room.dir, "TMPDIR=" + r.room.dir, "LANG=C.UTF-8", "PYTHONUNBUFFERED=1"}
	for _, name := range slices.Sorted(maps.Keys(r.params.Env)) {
		env = append(env, name+"="+r.params.Env[name])
	}
	return env
}

// prepare writes what the program gets.
func (r *reading) prepare() (err error) {
	if r.params.protocol() == ours {
		r.prog.input = append(asJSON(map[string]any{
			"config": r.params.Config, "checkpoint": r.cp.State, "from": stamp(r.req.Window.From), "until": stamp(r.req.Window.Until),
			"force_refresh": r.req.ForceRefresh, "limit": r.req.Limit,
		}), '\n')
		return nil
	}
	if r.config, err = r.room.putConfig(r.Fetcher, r.params); err != nil {
		return err
	}
	catalog, err := r.catalog()
	if err != nil {
		return err
	}
	if r.params.protocol() == airbyte {
		r.prog.args = append(r.prog.args, "read")
	}
	r.prog.args = append(r.prog.args, "--config", r.config)
	if err := r.file("catalog", catalog); err != nil {
		return err
	}
	if len(r.cp.State) == 0 {
		return nil
	}
	state := r.cp.State
	if r.params.protocol() == airbyte {
		state = airbyteFile(state)
	}
	return r.file("state", state)
}

// file gives the program a private file behind the flag of its name.
func (r *reading) file(name string, content []byte) error {
	if len(content) == 0 {
		return nil
	}
	path, err := r.room.write(name+".json", content)
	r.prog.args = append(r.prog.args, "--"+name, path)
	return err
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

// run runs the program and sends what it writes. What came with a state is sent also when
// the program fails after it: that is progress.
func (r *reading) run() error {
	r.since = r.now()
	stderr, err := r.prog.run(r.ctx, r.take)
	if warning := r.takeBack(); warning != "" {
		r.page.Warnings = append(r.page.Warnings, warning)
	}
	if r.Stopped {
		return nil
	}
	if err = r.judge(stderr, err); err != nil {
		if r.moved && r.ctx.Err() == nil {
			r.send()
		}
		return err
	}
	r.page.Last = true
	r.page.NotModified = r.page.NotModified || r.total == 0 && len(r.page.Documents)+len(r.page.Rejects) == 0 && len(r.cp.State) > 0
	r.send()
	return nil
}

func (r *reading) takeBack() string {
	if r.config == "" {
		return ""
	}
	return r.room.takeBack(r.config, r.refresh)
}

// judge is how the run ended: by what the program reported, else by its exit.
func (r *reading) judge(stderr string, err error) error {
	program := r.params.Program
	said := ""
	if stderr != "" {
		said = "; its last words: " + lastLines(stderr)
	}
	var e *harvest.Error
	switch _, exited := errors.AsType[*osexec.ExitError](err); {
	case r.ctx.Err() != nil:
		return harvest.TransportError("run program", program, context.Cause(r.ctx))
	case errors.Is(err, errSilent):
		e = harvest.Errorf(harvest.KindTimeout, "run program", program, "%w%s", err, said)
	case r.failed != nil:
		e = r.failed
		e.Err = fmt.Errorf("%w%s", e.Err, said)
	case err == nil && r.messages == 0 && r.noise > 0:
		e = harvest.Errorf(harvest.KindBroken, "run program", program, "none of its %d lines is a message of protocol %s", r.noise, r.params.protocol())
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, osexec.ErrNotFound):
		e = harvest.Errorf(harvest.KindMisconfigured, "run program", program, "%w", err)
		e.Advice = "it must be executable, and the interpreter in its first line must be there"
	case exited:
		e = harvest.Errorf(harvest.KindServerError, "run program", program, "%s%s", exitOf(err), said)
	default:
		e = harvest.AsError(err)
		e.On = program
	}
	e.Evidence = []byte(stderr)
	return e
}

// maxBatch is how many bytes of records are committed at once, about.
const maxBatch = 8 << 20

// linger is after what time a state is stored though few records came.
const linger = 2 * time.Second

// take reads one line.
func (r *reading) take(line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil || m.Type == "" {
		return r.noisy(line)
	}
	r.messages++
	r.bytes += len(line)
	var err error
	switch r.params.protocol() {
	case singer:
		r.singer(&m)
	case airbyte:
		r.airbyte(&m)
	default:
		err = r.ours(&m, line)
	}
	if err == nil && r.full() {
		r.send()
	}
	if r.Stopped {
		return context.Canceled
	}
	return err
}

// full reports that it is time for a page: behind a state when there is enough, in any
// case when there is as much as a page may have.
func (r *reading) full() bool {
	n := len(r.page.Documents) + len(r.page.Rejects)
	return n >= harvest.MaxPageDocuments || r.stated && (n >= r.params.batch() || r.bytes > maxBatch || n > 0 && r.now().Sub(r.since) > linger) ||
		r.bytes > 8*maxBatch
}

// noisy is a line that is no message: of ours that is a fault, of the others a log.
func (r *reading) noisy(line []byte) error {
	if r.noise++; r.params.protocol() != ours {
		return nil
	}
	e := harvest.Errorf(harvest.KindBroken, "read program", r.params.Program, "%.120q is not a message", strings.ToValidUTF8(string(line[:min(len(line), 200)]), "?"))
	e.Evidence = line[:min(len(line), 64<<10)]
	return e
}

// add adds a record, or rejects it.
func (r *reading) add(line []byte, make func() (harvest.Document, error)) {
	var d harvest.Document
	err := harvest.Guard(func() (err error) {
		d, err = make()
		return err
	})
	switch {
	case err != nil:
		r.page.Rejects = append(r.page.Rejects, harvest.Reject{ID: d.ID, Reason: err.Error(), Bytes: slices.Clone(line[:min(len(line), 16<<10)])})
	case r.req.Window.Contains(d.Published):
		r.page.Documents = append(r.page.Documents, d)
	}
	r.stated = false
}

// send yields what came, with the last state behind its records.
func (r *reading) send() {
	p := r.page
	r.page, r.bytes, r.since, r.moved = harvest.Page{}, 0, r.now(), false
	p.Listed = len(p.Documents) + len(p.Rejects) + p.Same
	r.total += int64(p.Listed)
	p.Done = r.total
	if p.Checkpoint = pages.Write(r.cp); r.windowed() {
		p.Checkpoint = r.req.Checkpoint
	}
	r.Send(p)
}
