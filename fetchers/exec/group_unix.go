//go:build unix && !linux

package exec

import (
	"os/exec"
	"syscall"
)

func attributes(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
