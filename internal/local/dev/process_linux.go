package dev

import "syscall"

// childAttributes: a group of its own, and SIGTERM when the parent dies in a
// way that leaves it no time to end its children.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
