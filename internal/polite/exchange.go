package polite

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// exchange is one request and its response, until the end of the body.
type exchange struct {
	client  *Client
	visitor *visit.Visitor
	req     *http.Request // as passed to RoundTrip
	permit  *permit
	partly  bool   // only the beginning of a body is read
	ca      string // Rule.CA of the host

	ctx      context.Context // ends the exchange; its cause may be errLate
	cancel   context.CancelFunc
	started  time.Time
	bytes    atomic.Int64  // of the body, as transferred
	recorded chan struct{} // closed when the line was passed to Record

	mu   sync.Mutex // the context may end the exchange at any time
	line visit.Exchange
	stop func() bool // unregisters expire
	done bool
}

// begin starts an exchange. It ends with its context, so that an abandoned body does
// not keep its resources forever.
func (r *roundTripper) begin(req *http.Request, t *permit, note string) *exchange {
	x := &exchange{client: r.client, visitor: &r.visitor, req: req, permit: t, partly: r.forRobots, started: time.Now(), recorded: make(chan struct{})}
	x.ca = r.client.settings.Rules(Host(req.URL)).CA
	x.ctx, x.cancel = context.WithTimeoutCause(req.Context(), r.visitor.Timeout, errLate)
	x.line = visit.Exchange{
		At: x.started.UTC(), Method: method(req), URL: MaskURL(req.URL), Host: Host(req.URL), Waited: t.waited, Note: note,
		Page: harvest.PageOf(req.Context()),
	}
	if from := req.Response; from != nil && from.Request != nil && from.Request.URL.Scheme == "https" && req.URL.Scheme == "http" {
		x.line.Note = joined("redirected from https to http", note)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stop = context.AfterFunc(x.ctx, x.expire)
	return x
}

// expire ends the exchange when its context ends. Readers of the body learn it from the
// context.
func (x *exchange) expire() {
	harvest.Safely("end the exchange with", x.line.Host, func() error { // the error is in the line
		x.finish(x.explain(x.ctx.Err()))
		return nil
	})
}

// send sends the request over the host's transport.
func (x *exchange) send(agent string, cred credential) (*http.Response, error) {
	req := x.outgoing(agent)
	if cred.name != "" {
		req.Header.Set(cred.name, cred.value)
	}
	return x.client.ways.of(Host(x.req.URL), x.ca).RoundTrip(req)
}

// outgoing returns the request to send: a copy, because a RoundTripper must not modify
// its argument.
func (x *exchange) outgoing(agent string) *http.Request {
	req := x.req.Clone(httptrace.WithClientTrace(x.ctx, x.trace()))
	req.Header.Set("User-Agent", agent)
	if req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == "" && req.Method != http.MethodHead {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	return req
}

// trace keeps the gap also when net/http repeats a request on its own because an idle
// connection was closed.
func (x *exchange) trace() *httptrace.ClientTrace {
	var asked atomic.Bool
	return &httptrace.ClientTrace{GetConn: func(string) {
		if asked.CompareAndSwap(false, true) {
			return
		}
		select {
		case <-time.After(x.permit.gap()):
		case <-x.ctx.Done():
		}
	}}
}

// answer records the response header and wraps the body.
func (x *exchange) answer(resp *http.Response) (*http.Response, error) {
	resp.Request = x.req
	rest := restAsked(resp)
	x.mu.Lock()
	x.line.Status, x.line.RetryAfter = resp.StatusCode, rest
	x.mu.Unlock()
	if rest > 0 {
		x.rest(rest, resp.StatusCode)
	}
	x.strain(resp.StatusCode, rest)
	if err := badLocation(resp); err != nil {
		resp.Body.Close() // the response is refused anyway
		return nil, x.fail(x.broken("%w", err))
	}
	x.noteMove(resp)
	if resp.Body == http.NoBody || resp.ContentLength == 0 {
		resp.Body.Close() // empty
		resp.Body = http.NoBody
		x.finish(nil)
		return resp, nil
	}
	resp.Body = newBody(x, resp)
	return resp, nil
}

// noteMove reports a permanent redirect to the visitor. A redirect of robots.txt does
// not count.
func (x *exchange) noteMove(resp *http.Response) {
	permanent := resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusPermanentRedirect
	if !permanent || x.partly || x.visitor.Moved == nil {
		return
	}
	if to, err := x.req.URL.Parse(resp.Header.Get("Location")); err == nil {
		x.visitor.Moved(x.req.URL, to, MaskURL(to))
	}
}

// fail ends the exchange with an error and returns it.
func (x *exchange) fail(err *harvest.Error) error {
	x.finish(err)
	return err
}

// finish releases the permit and the context and records the line. Only the first call
// does so; the others return when the line is recorded, so that a reader who sees the
// context end finds the line.
func (x *exchange) finish(err *harvest.Error) {
	line, ok := x.close(err)
	if !ok {
		<-x.recorded
		return
	}
	defer close(x.recorded)
	x.permit.end()
	x.cancel()
	x.visitor.Record(line)
}

// close completes the line; false if it already was complete.
func (x *exchange) close(err *harvest.Error) (visit.Exchange, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done {
		return visit.Exchange{}, false
	}
	x.done = true
	x.stop()
	x.line.Bytes, x.line.Took = x.bytes.Load(), time.Since(x.started)
	if err != nil {
		x.line.Kind, x.line.Error = err.Kind, err.Err.Error()
	}
	return x.line, true
}

func (x *exchange) status() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.line.Status
}

// counter counts transferred bytes and stops at the limit.
type counter struct {
	x   *exchange
	raw io.Reader
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.raw.Read(p)
	if c.x.bytes.Add(int64(n)) > c.x.client.settings.MaxBody {
		return 0, errTooLarge
	}
	return n, err
}

// keep passes a complete body to the visitor.
func (x *exchange) keep(body []byte) {
	digest, err := x.visitor.Raw(body)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.line.Raw = digest
	if err != nil {
		x.line.Raw, x.line.Note = "", joined(x.line.Note, "the page could not be kept: "+err.Error())
	}
}

// joined joins two notes.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// verb returns the Op of errors.
func verb(req *http.Request) string { return strings.ToLower(method(req)) }
