package program

import (
	"fmt"
)

// The exit codes.
const (
	ExitOK          = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitRunFailed   = 3
	ExitWarnings    = 4 // with --strict
	ExitDifferences = 5 // with --detailed-exit-code
	ExitInterrupted = 130
)

// ExitCode is an error with an exit code; without a cause it is silent: what
// there was to say has been said.
type ExitCode struct {
	Code int
	Err  error
}

func (e *ExitCode) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitCode) Unwrap() error { return e.Err }

func Quiet(code int) error {
	if code == ExitOK {
		return nil
	}
	return &ExitCode{Code: code}
}

// Usage is a mistake of the person at the keyboard.
func Usage(format string, args ...any) error {
	return &ExitCode{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}
