//go:build !unix

package exec

import (
	"io"
	"os/exec"
)

// own does nothing: there are no process groups.
func own(*exec.Cmd) {}

func held(cmd *exec.Cmd, out io.Closer) error {
	err := cmd.Start()
	out.Close() // the program has it
	if err != nil {
		return err
	}
	return cmd.Wait()
}
