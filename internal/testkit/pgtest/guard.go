package pgtest

import (
	"io"
	"os/exec"
	"syscall"
)

// guard is a process that sees this one's end, however it comes: its input ends.
// It then ends the server, frees the shared memory that a killed one leaves and
// removes the folder.
type guard struct {
	cmd  *exec.Cmd
	line io.Closer
}

// guarding: the seventh line of the server's file is "key id" of its segment.
const guarding = `PATH="$PATH:/usr/bin:/bin"
cat >/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate -w stop
id=$(sed -n '7s/^ *[0-9][0-9]*  *\([0-9][0-9]*\) *$/\1/p' "$2/data/postmaster.pid") && [ -n "$id" ] && ipcrm -m "$id"
rm -rf "$2"
`

func newGuard(c *Cluster) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guarding, "guard", c.bin, c.folder)
	cmd.Dir, cmd.Env = "/", environment(c.folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.as}
	line, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &guard{cmd: cmd, line: line}, cmd.Start()
}

// release lets the guard do its work and waits for it.
func (g *guard) release() {
	if g.line == nil {
		return
	}
	_ = g.line.Close()
	_ = g.cmd.Wait() // its last command's word on a folder in a temporary place
	g.line = nil
}
