package harvest

import "runtime/debug"

// Guard runs adapt, which reads one record, and returns its error. A panic in it
// comes back as a KindBadRecord error: a fetcher makes a Reject of it, and the
// other records of the page go on.
func Guard(adapt func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{
				Kind: KindBadRecord, Op: "read record", Err: &Panic{Value: p, Stack: debug.Stack()},
				Advice: "this is a defect of the fetcher; the record is set aside, the others go on",
			}
		}
	}()
	return adapt()
}
