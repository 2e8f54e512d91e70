package temporalx

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest"
)

// ToTemporal turns an activity's error into what Temporal understands: an
// ApplicationError whose type is the kind (see harvest.Kinds) and whose text is
// the error's, without query strings. Kinds that a repetition cannot help are
// not retried; RetryAfter becomes the next-retry-delay, between MinDelay and
// MaxDelay. Nil, a cancel and what is Temporal's already come back as they are.
func ToTemporal(err error) error {
	if err == nil || ours(err) {
		return err
	}
	e := harvest.AsError(err)
	options := temporal.ApplicationErrorOptions{NonRetryable: final(e.Kind)}
	if !options.NonRetryable && e.RetryAfter > 0 {
		options.NextRetryDelay = delay(e.RetryAfter)
	}
	return temporal.NewApplicationErrorWithOptions(text(err), string(e.Kind), options)
}

// RetryIn is ToTemporal for an error that Temporal shall retry after a wait, whatever
// its kind.
func RetryIn(err error, wait time.Duration) error {
	if err == nil || ours(err) {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(text(err), string(harvest.KindOf(err)), temporal.ApplicationErrorOptions{
		NextRetryDelay: delay(wait), Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// FromTemporal reads what a workflow or a client got: the kind by the error's
// type, KindTimeout for Temporal's own timeouts, else KindInternal. Op is the
// activity's name. It returns nil for nil; errors.As still finds Temporal's
// error in it.
func FromTemporal(err error) *harvest.Error {
	if err == nil {
		return nil
	}
	e := &harvest.Error{Kind: harvest.KindInternal, Op: "run", Err: err}
	if activity, ok := errors.AsType[*temporal.ActivityError](err); ok {
		e.Op = activity.ActivityType().GetName()
		e.Err = errors.Unwrap(activity)
	}
	if _, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		e.Kind = harvest.KindTimeout
	}
	if a, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		e.Err = application{a}
		e.RetryAfter = a.NextRetryDelay()
		if kind := harvest.Kind(a.Type()); kind.Valid() {
			e.Kind = kind
		}
	}
	return e
}

// application says an ApplicationError's message without the type and the
// retryable flag that its own Error appends.
type application struct{ *temporal.ApplicationError }

func (a application) Error() string { return a.Message() }

func (a application) Unwrap() error { return a.ApplicationError }

func ours(err error) bool {
	if errors.Is(err, context.Canceled) || temporal.IsCanceledError(err) {
		return true
	}
	_, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok
}

func final(kind harvest.Kind) bool {
	switch kind {
	case harvest.KindMisconfigured, harvest.KindGone, harvest.KindBlocked, harvest.KindBroken, harvest.KindBadRecord:
		return true
	default:
		return false
	}
}

func delay(d time.Duration) time.Duration { return min(max(d, MinDelay), MaxDelay) }

// text masks the address that net/url repeats in transport errors: it holds the
// query string, and histories are read by many.
func text(err error) string {
	s := err.Error()
	if u, ok := errors.AsType[*url.Error](err); ok && u.URL != "" {
		s = strings.ReplaceAll(s, u.URL, harvest.Redact(u.URL))
	}
	return s
}
