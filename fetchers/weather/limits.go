package weather

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// refused adds the service's own reason to a status, and the wait that it means:
// Open-Meteo sends no Retry-After.
func refused(e *harvest.Error, body []byte, now time.Time) error {
	var said struct{ Reason string }
	if json.Unmarshal(body, &said) != nil || said.Reason == "" {
		return e
	}
	reason := strings.ToValidUTF8(said.Reason, "?")
	e.Err = fmt.Errorf("%w: %.300s", e.Err, reason)
	switch {
	case e.Status == http.StatusTooManyRequests && e.RetryAfter == 0:
		e.RetryAfter = waitFor(reason, now)
	case e.Kind == harvest.KindMisconfigured:
		e.Advice = "`starter fetchers show weather` explains the params; the service's documentation has the variables"
	}
	return e
}

// waitFor is how long the limit lasts that a reason names.
func waitFor(reason string, now time.Time) time.Duration {
	now = now.UTC()
	midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	month := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	for word, wait := range map[string]time.Duration{
		"hourly": now.Truncate(time.Hour).Add(time.Hour).Sub(now), "daily": midnight.Sub(now), "monthly": month.Sub(now), "concurrent": 5 * time.Second,
	} {
		if strings.Contains(strings.ToLower(reason), word) {
			return wait.Round(time.Second) + time.Second
		}
	}
	return time.Minute
}

func broken(a *answer.Answer, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(harvest.KindBroken, "read forecast", a.Final.String(), format, args...)
	e.Evidence = a.Evidence()
	return e
}
