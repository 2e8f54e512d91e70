package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxBody bounds one page of a listing.
	maxBody = 64 << 20
	// maxPages bounds a listing, and maxJobs what it may hold.
	maxPages = 2_000
	maxJobs  = 200_000
	// exchangeTime bounds one exchange, so that a slow registry costs no more.
	exchangeTime = 30 * time.Second
)

// browser asks a service over HTTP.
type browser struct {
	client      *http.Client
	base        *url.URL
	registry    string
	name, value string // of the one header that people give
}

func (b *browser) setHeader(line string) error {
	if line == "" {
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	b.name, b.value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || b.name == "" || b.value == "" || strings.ContainsAny(line, "\r\n") {
		return fmt.Errorf("registry %s: its header must be written like Authorization: Bearer …", b.registry)
	}
	return nil
}

// at is an address below the base, which is given as its users write it, with or
// without a slash at its end.
func (b browser) at(path string, query url.Values) string {
	u := *b.base
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	u.RawPath = ""
	u.RawQuery = query.Encode()
	return u.String()
}

// reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// exchange sends one request. An answer other than 2xx and 304 is an error.
func (b browser) exchange(ctx context.Context, method, address string, header http.Header, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, exchangeTime)
	defer cancel()
	op := "ask registry " + b.registry
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return reply{}, harvest.Errorf(harvest.KindMisconfigured, op, address, "it is not an address")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if b.name != "" {
		req.Header.Set(b.name, b.value)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		if e, ok := errors.AsType[*harvest.Error](err); ok {
			return reply{}, e
		}
		return reply{}, harvest.TransportError(op, address, err)
	}
	defer resp.Body.Close() // it was read
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return reply{}, harvest.TransportError(op, address, fmt.Errorf("the answer broke off: %w", err))
	case len(content) > maxBody:
		return reply{}, harvest.Errorf(harvest.KindBroken, op, address, "the answer is longer than %d MiB", maxBody>>20)
	case resp.StatusCode == http.StatusNotModified, resp.StatusCode >= 200 && resp.StatusCode < 300:
		return reply{resp.StatusCode, resp.Header, content}, nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return reply{}, harvest.Errorf(harvest.KindMisconfigured, op, address, "HTTP status %d without an address to go to", resp.StatusCode)
	default:
		return reply{}, harvest.StatusError(op, address, resp.StatusCode, resp.Header.Get("Retry-After"), time.Now())
	}
}

// broken is the error of an answer that is not what it should be.
func (b browser) broken(address string, body []byte, wanted, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if looksLikeHTML(body) {
		text = "got an HTML page instead of " + wanted
	}
	e := harvest.Errorf(harvest.KindBroken, "read registry "+b.registry, address, "%s", text)
	e.Advice = "nothing was changed; look at the address with curl"
	return e
}

func looksLikeHTML(body []byte) bool {
	head := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 500)])))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}
