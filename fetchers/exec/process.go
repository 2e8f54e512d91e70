package exec

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxLine bounds one message; maxTail is how much of stderr is kept.
	maxLine = 64 << 20
	maxTail = 8 << 10
	// mercy is how long a program that is asked to end may take.
	mercy = 300 * time.Millisecond
)

var errSilent = errors.New("it wrote nothing for too long")

// program is one run of it.
type program struct {
	path    string
	args    []string
	env     []string
	dir     string
	input   []byte
	silence time.Duration
}

// run gives each line of its output to take, in order, and waits for the program. The
// whole process group has ended when it returns. An error of take ends it.
func (p program) run(ctx context.Context, take func(line []byte) error) (stderr string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out, in, err := os.Pipe()
	if err != nil {
		return "", fmt.Errorf("make a pipe: %w", err)
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = p.dir, p.env, bytes.NewReader(p.input), mercy
	own(cmd)
	t := &tail{heard: make(chan struct{}, 1)}
	cmd.Stderr, cmd.Stdout = t, in
	o, ended := &output{File: out, note: t.note}, make(chan error, 1)
	go func() {
		err := harvest.Safely("run program", p.path, func() error { return held(cmd, in) })
		o.close()
		ended <- err
	}()
	go p.watch(ctx, cancel, t)
	readErr := lines(o, take)
	if readErr != nil {
		cancel(readErr)
	}
	out.Close() // what it still writes is not wanted
	if err = <-ended; errors.Is(err, exec.ErrWaitDelay) {
		err = nil // somebody it left behind had its stderr
	}
	return t.String(), p.outcome(ctx, readErr, err)
}

// output is what a program writes. Once that has ended, nobody is waited for long who
// still has the other end.
type output struct {
	*os.File
	note  func()
	ended atomic.Bool
}

// Read is part of io.Reader.
func (o *output) Read(b []byte) (int, error) {
	if o.ended.Load() {
		_ = o.SetReadDeadline(time.Now().Add(rest)) // pipes have deadlines
	}
	n, err := o.File.Read(b)
	if n > 0 {
		o.note()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

func (o *output) close() {
	o.ended.Store(true)
	_ = o.SetReadDeadline(time.Now().Add(rest)) // the same
}

// rest is how long the output of a program that has ended is waited for.
const rest = 2 * time.Second

func (p program) outcome(ctx context.Context, readErr, err error) error {
	cause := context.Cause(ctx)
	switch {
	case readErr != nil:
		return readErr
	case ctx.Err() != nil:
		return cause
	}
	return err
}

// watch ends a program that has been silent.
func (p program) watch(ctx context.Context, cancel context.CancelCauseFunc, t *tail) {
	timer := time.NewTimer(p.silence)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			cancel(errSilent)
			return
		case <-t.heard:
			timer.Reset(p.silence)
		}
	}
}

// lines reads lines up to the end; a last one without its end counts too.
func lines(r io.Reader, take func([]byte) error) error {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := line(b)
		if len(bytes.TrimSpace(line)) > 0 {
			if err := take(bytes.TrimSpace(line)); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func line(b *bufio.Reader) (whole []byte, err error) {
	for {
		part, err := b.ReadSlice('\n')
		whole = append(whole, part...)
		switch {
		case len(whole) > maxLine:
			return nil, harvest.Errorf(harvest.KindBroken, "read program", "", "a line is longer than %d MiB", maxLine>>20)
		case !errors.Is(err, bufio.ErrBufferFull):
			return whole, err
		}
	}
}

// tail keeps the end of what is written, and notes that something was.
type tail struct {
	mu    sync.Mutex
	text  []byte
	heard chan struct{}
}

// Write is part of io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.text = append(t.text, b...)
	if len(t.text) > 2*maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail:])
	}
	t.mu.Unlock()
	t.note()
	return len(b), nil
}

func (t *tail) note() {
	select {
	case t.heard <- struct{}{}:
	default:
	}
}

// String is the end of it, as text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text[max(0, len(t.text)-maxTail):]), "?"))
}

// lastLines is the end of a text, for a message.
func lastLines(text string) string {
	const most = 600
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return strings.Join(strings.Fields(text), " ")
}

// exitOf says in words how a program ended.
func exitOf(err error) string {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		if !e.Exited() {
			return "it was ended by a signal (" + e.String() + ")"
		}
		return fmt.Sprintf("it ended with status %d", e.ExitCode())
	}
	return err.Error()
}
