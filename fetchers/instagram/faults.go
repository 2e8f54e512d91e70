package instagram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// aLittle is how long a limit lasts whose end nobody tells: they are counted by the
// hour. aDay is for those counted by the week.
const (
	aLittle = time.Hour
	aDay    = 24 * time.Hour
)

const (
	adviceToken    = "the token is wrong or has expired: make a new one for the secret that params.token refers to"
	adviceAccess   = "the app lacks a permission: look at its settings at developers.facebook.com"
	adviceHashtags = "an account may ask for 30 different hashtags in seven days: use fewer"
)

// refused reads an error by its code: its status is mostly 400, whatever it means.
func refused(e *harvest.Error, a *answer.Answer) error {
	var f fault
	if json.Unmarshal(a.Body, &f) != nil || f.Error == nil {
		return e
	}
	message := strings.ToValidUTF8(f.Error.Message, "?")
	e.Err = fmt.Errorf("%w: error %d/%d: %.300s", e.Err, f.Error.Code, f.Error.Subcode, message)
	kind, advice := meaning(f.Error.Code, f.Error.Subcode)
	if f.Error.Transient {
		kind, advice = harvest.KindServerError, ""
	}
	if e.Kind, e.Advice = kind, advice; kind == harvest.KindThrottled && e.RetryAfter == 0 {
		e.RetryAfter = max(used(a.Header).wait(), aLittle)
		if f.Error.Subcode == tooManyHashtags {
			e.RetryAfter, e.Advice = aDay, adviceHashtags
		}
	}
	return e
}

// The subcodes that say more than their code.
const (
	notVisible      = 33
	noSuchHashtag   = 2207024
	tooManyHashtags = 2207034
)

func meaning(code, subcode int) (harvest.Kind, string) {
	switch {
	case code == 4, code == 17, code == 32, code == 613, code == 80002, subcode == tooManyHashtags:
		return harvest.KindThrottled, ""
	case code == 1, code == 2:
		return harvest.KindServerError, ""
	case code == 102, code == 190:
		return harvest.KindMisconfigured, adviceToken
	case code == 10, code >= 200 && code <= 299:
		return harvest.KindBlocked, adviceAccess
	case code == 341, code == 368:
		return harvest.KindBlocked, "Instagram has blocked this for a time: ask less, and look at the account's notices"
	case subcode == noSuchHashtag, code == 110, code == 100 && subcode == notVisible:
		return harvest.KindGone, "it is not there, or not visible: personal accounts and those with an age limit are not"
	default:
		return harvest.KindMisconfigured, "look at the params: the API does not understand the request"
	}
}

// used is the greatest share that the headers of an answer tell.
func used(h http.Header) (most usage) {
	var app usage
	json.Unmarshal([]byte(h.Get("X-App-Usage")), &app) // a header that cannot be read says nothing
	all := map[string][]usage{"": {app}}
	business := map[string][]usage{}
	json.Unmarshal([]byte(h.Get("X-Business-Use-Case-Usage")), &business) // the same
	for _, list := range []map[string][]usage{all, business} {
		for _, each := range list {
			for _, u := range each {
				most = usage{Calls: max(most.Calls, u.Calls, u.CPU, u.Time), Minutes: max(most.Minutes, u.Minutes)}
			}
		}
	}
	return most
}

// near is the share from which on we ask less.
const near = 80

// wait is how long to leave the API alone: the nearer the wall, the longer.
func (u usage) wait() time.Duration {
	rest := time.Duration(min(max(u.Minutes, 0), 7*24*60)) * time.Minute
	switch {
	case u.Calls >= 95:
		return max(rest, time.Hour)
	case u.Calls >= 90:
		return max(rest, 15*time.Minute)
	case u.Calls >= near:
		return max(rest, 5*time.Minute)
	default:
		return rest
	}
}
