package harvest

import "slices"

// Kind classifies an error. It decides whether an item is retried, skipped or stopped;
// campaign files use the same words (retry.when).
type Kind string

// The kinds of error.
const (
	KindTimeout       Kind = "timeout"       // no answer, or no page, in time
	KindUnreachable   Kind = "unreachable"   // DNS, connect, TLS, reset
	KindServerError   Kind = "server_error"  // 5xx, or a body cut short
	KindThrottled     Kind = "throttled"     // 429, 503 with Retry-After, over budget
	KindBlocked       Kind = "blocked"       // 401, 403, challenge page, robots
	KindGone          Kind = "gone"          // 404, 410, a set that vanished
	KindBroken        Kind = "broken"        // the answer is not what it always was
	KindMisconfigured Kind = "misconfigured" // only a change of the file can help
	KindBadRecord     Kind = "bad_record"    // more unreadable records than tolerated
	KindInternal      Kind = "internal"      // our own defect, or the store's
)

// Kinds returns all kinds, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		KindTimeout, KindUnreachable, KindServerError, KindThrottled, KindBlocked,
		KindGone, KindBroken, KindMisconfigured, KindBadRecord, KindInternal,
	}
}

// Valid reports whether k is one of Kinds.
func (k Kind) Valid() bool { return slices.Contains(Kinds(), k) }
