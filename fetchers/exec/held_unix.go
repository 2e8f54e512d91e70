//go:build unix

package exec

import (
	"io"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// own gives a program a process group of its own, which is asked to end with it.
func own(cmd *exec.Cmd) {
	attributes(cmd)
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		time.AfterFunc(mercy/2, func() { _ = syscall.Kill(group, syscall.SIGKILL) }) // it may have ended
		return syscall.Kill(group, syscall.SIGTERM)
	}
}

// held runs a program on a thread of its own, whose end would end the program too, and
// ends what is left of its group.
func held(cmd *exec.Cmd, out io.Closer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	out.Close() // the program has it
	if err != nil {
		return err
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly there is nobody left
	return err
}
