package fetchertest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/vendemmia/vendemmia/harvest"
)

// fault spoils the answers of a healthy source after so many good ones.
type fault struct {
	name string
	// spoil answers instead of the source, which it may ask.
	spoil func(w http.ResponseWriter, r *http.Request, healthy http.Handler)
	// kinds are the ends that are right; rest is the Retry-After they carry.
	kinds []harvest.Kind
	rest  time.Duration
	// bearable faults may also end well: with everything, or as partial.
	bearable bool
	// timeout of the client; 0 is patience.
	timeout time.Duration
	after   int64
	asked   atomic.Int64
	healed  atomic.Bool
	once    sync.Once
	struck  chan struct{}
	at      atomic.Int64
}

// String names the fault.
func (f *fault) String() string {
	if f == nil {
		return "healthy"
	}
	return f.name
}

func (f *fault) time() time.Time { return time.Unix(0, f.at.Load()) }

func (f *fault) wrap(healthy http.Handler) http.Handler {
	if f == nil {
		return healthy
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.asked.Add(1) <= f.after || f.healed.Load() {
			healthy.ServeHTTP(w, r)
			return
		}
		f.once.Do(func() {
			f.at.Store(time.Now().UnixNano())
			close(f.struck)
		})
		f.spoil(w, r, healthy)
	})
}

type spoiler = func(w http.ResponseWriter, r *http.Request, healthy http.Handler)

func newFault(name string, spoil spoiler, kinds ...harvest.Kind) *fault {
	return &fault{name: name, spoil: spoil, kinds: kinds, struck: make(chan struct{})}
}

// faults are made anew for each use.
func faults() []*fault {
	list := []*fault{
		resting(http.StatusTooManyRequests), resting(http.StatusServiceUnavailable),
		newFault("cut body", cutBody, harvest.KindServerError), newFault("hung up", hangUp, harvest.KindUnreachable, harvest.KindServerError),
		newFault("HTML", page(htmlPage), harvest.KindBroken), newFault("challenge", page(challengePage), harvest.KindBlocked, harvest.KindBroken),
		newFault("empty body", page(""), harvest.KindBroken), newFault("garbage", page(garbage), harvest.KindBroken),
		newFault("redirect loop", redirectLoop, harvest.KindBroken), newFault("oversized body", oversized, harvest.KindBroken),
		newFault("charset not the header's", lyingHeader, harvest.KindBroken), newFault("charset not the declared", recoded, harvest.KindBroken),
		silence(), drip(),
	}
	for status, kind := range map[int]harvest.Kind{
		500: harvest.KindServerError, 502: harvest.KindServerError, 503: harvest.KindServerError,
		401: harvest.KindBlocked, 403: harvest.KindBlocked, 404: harvest.KindGone, 410: harvest.KindGone,
	} {
		list = append(list, newFault("status "+strconv.Itoa(status), answer(status, nil), kind))
	}
	for _, f := range list {
		f.bearable = slices.Contains([]string{"cut body", "charset not the header's", "charset not the declared"}, f.name)
	}
	return list
}

func resting(status int) *fault {
	f := newFault(fmt.Sprintf("status %d with Retry-After", status), answer(status, http.Header{"Retry-After": {"7"}}), harvest.KindThrottled)
	f.rest = 7 * time.Second
	return f
}

func silence() *fault {
	f := newFault("no answer", func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }, harvest.KindTimeout)
	f.timeout = haste
	return f
}

func drip() *fault {
	f := newFault("slow drip", slowDrip, harvest.KindTimeout)
	f.timeout = haste
	return f
}

func checkFaults(t *testing.T, c Case) {
	for _, after := range []int64{0, 1} {
		if after > 0 && c.Pages < 2 {
			continue
		}
		for _, f := range faults() {
			f.after = after
			t.Run(fmt.Sprintf("%s/after %d", f, after), func(t *testing.T) {
				t.Parallel()
				checkFault(t, c, f)
			})
		}
	}
}

// checkFault wants the right end, and that nothing is lost once the source has
// recovered.
func checkFault(t *testing.T, c Case, f *fault) {
	timeout := f.timeout
	if timeout == 0 {
		timeout = patience
	}
	base := c.serve(t, f)
	spoilt, sum, err := fetch(t, c.New(client(t, timeout)), c.request(base, nil))
	requireNoPanic(t, err)
	if err == nil {
		requireHonest(t, c, f, spoilt, sum)
		return
	}
	e := harvest.AsError(err)
	require.Contains(t, f.kinds, e.Kind, "%v", err)
	require.Equal(t, f.rest, e.RetryAfter, "%v", err)
	require.NotEmpty(t, e.Op, "the error must say what was being done")
	if f.after == 0 {
		require.Empty(t, spoilt.documents())
	}
	f.healed.Store(true)
	rest, _, err := fetch(t, c.New(client(t, patience)), c.request(base, spoilt.checkpoint()))
	require.NoError(t, err)
	both := &record{pages: append(spoilt.pages, rest.pages...)}
	require.Subset(t, both.ids(), c.IDs, "lost after the source recovered")
}

// requireHonest is for a fetch that ended well in spite of a fault: it has
// everything, or says that it has not.
func requireHonest(t *testing.T, c Case, f *fault, r *record, sum harvest.Tally) {
	t.Helper()
	if sum.Partial || sum.Quarantined > 0 {
		require.True(t, f.bearable || f.after > 0, "partial is not an answer to %s", f)
		return
	}
	require.True(t, f.bearable, "%s ended as a success", f)
	require.Equal(t, sorted(c.IDs), r.ids(), "%s ended as a success without everything", f)
}

func answer(status int, h http.Header) spoiler {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for k, v := range h {
			w.Header()[k] = v
		}
		w.WriteHeader(status)
	}
}

const (
	htmlPage      = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>Welcome</h1><p>We are redesigning.</p></body></html>"
	challengePage = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><div id=\"cf-browser-verification\">Checking your browser</div></body></html>"
	garbage       = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe\x01"
)

func page(body string) spoiler {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body) // the client may be gone
	}
}

// record what the healthy source would say.
func ask(r *http.Request, healthy http.Handler) *httptest.ResponseRecorder {
	r.Header.Del("Accept-Encoding")
	rec := httptest.NewRecorder()
	healthy.ServeHTTP(rec, r)
	return rec
}

func send(w http.ResponseWriter, rec *httptest.ResponseRecorder, contentType string, body []byte) {
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.Header().Del("Content-Length")
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(rec.Code)
	w.Write(body) // the client may be gone
}

// cutBody promises a body and hangs up in its middle.
func cutBody(w http.ResponseWriter, r *http.Request, healthy http.Handler) {
	rec := ask(r, healthy)
	body := rec.Body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
	w.Write(body[:len(body)/2])           // the client may be gone
	http.NewResponseController(w).Flush() // the same
	panic(http.ErrAbortHandler)
}

func hangUp(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

func redirectLoop(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	to := *r.URL
	q := to.Query()
	n, _ := strconv.Atoi(q.Get("round"))
	q.Set("round", strconv.Itoa(n+1))
	to.RawQuery = q.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// oversized never ends, until the client has had enough.
func oversized(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", "text/xml")
	block := bytes.Repeat([]byte("<!-- nothing of interest -->"), 1000)
	for r.Context().Err() == nil {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// slowDrip begins well and goes on too slowly for anybody to wait.
func slowDrip(w http.ResponseWriter, r *http.Request, healthy http.Handler) {
	rec := ask(r, healthy)
	w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	body := append(rec.Body.Bytes(), '\n')
	for i := 0; ; i++ {
		w.Write(body[i%len(body):][:1])       // the client may be gone
		http.NewResponseController(w).Flush() // the same
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

func lyingHeader(w http.ResponseWriter, r *http.Request, healthy http.Handler) {
	rec := ask(r, healthy)
	send(w, rec, "text/xml; charset=utf-16", rec.Body.Bytes())
}

// recoded sends Windows' letters under whatever the document declares.
func recoded(w http.ResponseWriter, r *http.Request, healthy http.Handler) {
	rec := ask(r, healthy)
	body, err := charmap.Windows1252.NewEncoder().Bytes(rec.Body.Bytes())
	if err != nil {
		body = append(rec.Body.Bytes(), 0xe9)
	}
	send(w, rec, rec.Header().Get("Content-Type"), body)
}
