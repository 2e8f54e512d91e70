package harvest

import (
	"fmt"
	"runtime/debug"
)

// Panic is the cause of an error that was a panic; Stack is for logs only.
type Panic struct {
	Value any
	Stack []byte
}

// Error returns "panic: value".
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Safely returns do's error; a panic of do is a KindInternal error with a *Panic as
// its cause. Every goroutine that touches what strangers wrote runs in it: a panic
// that nobody recovers ends the process, and with it the items of all others.
func Safely(op, on string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{
				Kind: KindInternal, Op: op, On: on, Err: &Panic{Value: p, Stack: debug.Stack()},
				Advice: "this is a defect of the program; the item is retried and then given up, the others go on",
			}
		}
	}()
	return do()
}
