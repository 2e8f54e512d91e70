package rows

import "errors"

// Trouble names what keeps a store from working. No trouble of these is about one
// page: nothing else can be stored either, until it is over.
type Trouble string

// The troubles.
const (
	TroubleFull        Trouble = "disk full"
	TroubleReadOnly    Trouble = "read only"
	TroubleUnreachable Trouble = "unreachable"
	TroubleBusy        Trouble = "busy" // somebody else holds it
	TroubleDamaged     Trouble = "damaged"
)

// TroubleError is an error of a store that says which trouble it is.
type TroubleError struct {
	Trouble Trouble
	Err     error
}

func (e *TroubleError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *TroubleError) Unwrap() error { return e.Err }

// TroubleOf returns the trouble that an error of a store is, "" for none: the
// store works, or the error is about what it was given.
func TroubleOf(err error) Trouble {
	if e, ok := errors.AsType[*TroubleError](err); ok {
		return e.Trouble
	}
	return ""
}
