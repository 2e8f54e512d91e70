//go:build !linux

package dev

import "syscall"

// childAttributes: a group of its own.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
