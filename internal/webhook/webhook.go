// Package webhook delivers notifications as JSON to http and https addresses.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxAnswer is how much of a response is read and discarded, so that the connection can
// be reused.
const maxAnswer = 4 << 10

// Sender posts messages. It is safe for concurrent use.
type Sender struct {
	// Client sends the requests; it provides the network guard and the limits.
	Client *http.Client
	Now    func() time.Time // nil: time.Now
}

// Send posts a payload as application/json. The key, which is the same for each
// repetition, is the Idempotency-Key header. Errors are *harvest.Error without the
// query string, which often is a secret. KindMisconfigured means that the address can
// never work.
func (s Sender) Send(ctx context.Context, to, key string, payload json.RawMessage) error {
	u, err := url.Parse(to)
	if err != nil {
		return harvest.Errorf(harvest.KindMisconfigured, "notify", "", "the address cannot be read")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		e := harvest.Errorf(harvest.KindMisconfigured, "notify", u.Scheme+":", "there is no way yet to send to %s addresses", u.Scheme)
		e.Advice = "use an http or https address that takes JSON"
		return e
	}
	return s.post(ctx, u, key, payload)
}

func (s Sender) post(ctx context.Context, u *url.URL, key string, payload []byte) error {
	on := u.Scheme + "://" + u.Host // paths of web hooks are secrets, too
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(payload))
	if err != nil {
		return harvest.Errorf(harvest.KindMisconfigured, "notify", on, "the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := s.Client.Do(req)
	if err != nil {
		return plain(on, err)
	}
	defer resp.Body.Close()                                          // nothing is written
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // only for the connection's sake
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return harvest.Errorf(harvest.KindMisconfigured, "notify", on, "HTTP status %d: the address has moved", resp.StatusCode)
	}
	return harvest.StatusError("notify", on, resp.StatusCode, resp.Header.Get("Retry-After"), s.now())
}

// plain removes the address that net/url repeats.
func plain(on string, err error) error {
	cause := err
	if u, ok := errors.AsType[*url.Error](err); ok {
		cause = u.Err
	}
	if e, ok := errors.AsType[*harvest.Error](err); ok {
		return &harvest.Error{Kind: e.Kind, Op: "notify", On: on, Err: fmt.Errorf("%w", e.Err), Advice: e.Advice, RetryAfter: e.RetryAfter}
	}
	return harvest.TransportError("notify", on, cause)
}

func (s Sender) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
