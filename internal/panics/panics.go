// Package panics holds a recovered panic as an error.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Panic is a recovered panic: the cause of the error that takes its place. Stack is for
// logs only.
type Panic struct {
	Value any
	Stack []byte
}

// New returns a recovered value with the stack of the caller, which must be the deferred
// function that recovered it.
func New(value any) *Panic { return &Panic{Value: value, Stack: debug.Stack()} }

// Error returns "panic: value".
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }
