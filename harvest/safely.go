package harvest

import "github.com/vendemmia/vendemmia/internal/panics"

// Safely runs do and returns its error. It turns a panic into a KindInternal error. Run
// every goroutine that handles foreign data in it: an unrecovered panic ends the whole
// process, with the items of all others.
func Safely(op, on string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{
				Kind: KindInternal, Op: op, On: on, Err: panics.New(p),
				Advice: "this is a defect of the program; the item is retried and then given up, the others go on",
			}
		}
	}()
	return do()
}

// Guard runs adapt, which reads one record, and returns its error. It turns a panic into
// a KindBadRecord error: the fetcher makes a Reject of it and goes on with the other
// records of the page.
func Guard(adapt func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{
				Kind: KindBadRecord, Op: "read record", Err: panics.New(p),
				Advice: "this is a defect of the fetcher; the record goes into quarantine, the others go on",
			}
		}
	}()
	return adapt()
}
