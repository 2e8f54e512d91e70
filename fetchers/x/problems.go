package x

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// window is how long a rate limit lasts at most.
const window = 15 * time.Minute

// beforeReset is added to a reset, so that nobody is there too early.
const beforeReset = 2 * time.Second

const (
	adviceToken  = "the token is wrong or has expired: look at the secret that params.token refers to"
	adviceAccess = "the app's access does not allow it: look at the developer portal of X"
)

// refused adds the API's own words to a status, and the wait that they mean.
func refused(e *harvest.Error, a *answer.Answer, now time.Time) error {
	var p problem
	if json.Unmarshal(a.Body, &p) != nil {
		p = problem{}
	}
	if text := p.text(); text != "" {
		e.Err = fmt.Errorf("%w: %s", e.Err, text)
	}
	switch {
	case p.kind() == "usage-capped":
		e.Kind, e.RetryAfter, e.Advice = harvest.KindThrottled, untilNextMonth(now), "budget of the account: it goes on with the next period, or with more credits"
		if strings.EqualFold(p.Period, "daily") {
			e.RetryAfter = untilTomorrow(now)
		}
	case e.Kind == harvest.KindThrottled && e.RetryAfter == 0:
		e.RetryAfter = untilReset(a.Header, now)
	case e.Status == http.StatusUnauthorized:
		if e.Advice = adviceToken; p.Title != "" {
			e.Kind = harvest.KindMisconfigured
		}
	case e.Kind == harvest.KindBlocked:
		e.Advice = adviceAccess
	}
	return e
}

// untilReset is the rest of the window that the headers name; X sends no Retry-After.
func untilReset(h http.Header, now time.Time) time.Duration {
	seconds, err := strconv.ParseInt(h.Get("x-rate-limit-reset"), 10, 64)
	if err != nil {
		return window
	}
	return min(max(0, time.Unix(seconds, 0).Sub(now)), 24*time.Hour).Round(time.Second) + beforeReset
}

// empty is the error of an answer that has neither data nor a count: what was asked
// for is not there, or not for us.
func (w *reply) empty(a *answer.Answer) error {
	switch {
	case len(w.list()) > 0 || w.Meta != nil:
		return nil
	case len(w.Errors) == 0:
		e := harvest.Errorf(harvest.KindBroken, "read posts", a.Final.String(), "the answer has neither data nor meta")
		e.Evidence = a.Evidence()
		return e
	}
	e := harvest.Errorf(harvest.KindBroken, "read posts", a.Final.String(), "%s", w.Errors[0].text())
	e.Evidence = a.Evidence()
	switch w.Errors[0].kind() {
	case "resource-not-found":
		e.Kind, e.Advice = harvest.KindGone, "look whether the account has another name now"
	case "not-authorized-for-resource", "client-forbidden":
		e.Kind, e.Advice = harvest.KindBlocked, "the account is protected or suspended"
	}
	return e
}

// warnings are what an answer says of parts that it lacks.
func (w *reply) warnings() (list []string) {
	for _, p := range w.Errors {
		list = append(list, "not all of the answer came: "+p.text())
	}
	return list
}
