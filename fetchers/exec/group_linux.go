package exec

import (
	"os/exec"
	"syscall"
)

// attributes: a group of its own, which ends with the worker whatever kills that.
func attributes(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
