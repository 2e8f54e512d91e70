package rows

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
