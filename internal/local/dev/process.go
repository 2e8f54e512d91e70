package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a child that is ended by its id, never by its name.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // of Wait; read after done
}

// start runs name with args; output goes to log. The child stands in a process
// group of its own, so that a Ctrl-C at the terminal reaches the parent only,
// which ends its children in order.
func start(name string, args, env []string, log io.Writer) (*Process, error) {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	cmd.SysProcAttr = childAttributes()
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// run keeps its thread until the child has ended: the kernel tells the child of
// its parent's death by the thread that started it.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed once the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the process ended; it waits for the end.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Kill sends SIGKILL and waits for the end.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Signal sends any signal; to a process that has ended it does nothing.
func (p *Process) Signal(s os.Signal) {
	_ = p.cmd.Process.Signal(s) // os.ErrProcessDone is what was wanted
}

// Stop asks the process to end and waits; when ctx ends first, it is killed and
// the error says so. It may be called twice.
func (p *Process) Stop(ctx context.Context) error {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("stop process %d: it did not end in time and was killed: %w", p.PID(), context.Cause(ctx))
	}
}

var errEnded = errors.New("it ended at once")

// waitReady calls ready until it succeeds, the process ends or ctx does.
func (p *Process) waitReady(ctx context.Context, what string, ready func(context.Context) error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("start %s: %w: %w", what, errEnded, errors.Join(p.err, err))
		case <-ctx.Done():
			return fmt.Errorf("start %s: not ready in time: %w", what, err)
		case <-tick.C:
		}
	}
}
