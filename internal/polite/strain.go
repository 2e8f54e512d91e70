package polite

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// leastSlow is the smallest value that is doubled or halved.
	leastSlow = time.Second
	// mostSlow limits the gap after errors.
	mostSlow = time.Minute
	// goodRow is how many good responses in a row halve the gap.
	goodRow = 10
	// strainWindow is the number of responses in which a second server error counts.
	strainWindow = 10
)

// manner classifies a response by what it says about the state of its host.
type manner int

const (
	mannerOther manner = iota // nothing
	mannerGood
	mannerError // 5xx; a single one does not count
	mannerBusy  // 429
)

// mannerOf classifies a status. A response with Retry-After is handled by rest.
func mannerOf(status int, rest time.Duration) manner {
	switch {
	case rest > 0:
		return mannerOther
	case status == http.StatusTooManyRequests:
		return mannerBusy
	case status >= 500:
		return mannerError
	case status >= 200 && status < 400, status == http.StatusNotFound, status == http.StatusGone:
		return mannerGood
	default:
		return mannerOther
	}
}

// strain is the recent responses of one host.
type strain struct {
	recent uint16 // the last responses, newest in the lowest bit; 1: server error or busy
	good   int    // in a row, since the last change
	seen   time.Duration
	raised time.Time
}

// answered records the response to a request sent at left and returns the gap from now
// on. slow is the current gap after errors, own the configured gap. A request sent
// before the last increase does not increase the gap again, because it did not respect
// the increased one.
func (s *strain) answered(m manner, left time.Time, slow, own time.Duration) time.Duration {
	if slow > s.seen {
		s.good = 0
	}
	s.note(m)
	next := slow
	switch {
	case s.strained(m) && !left.Before(s.raised):
		next = max(slow, raised(slow, own))
	case s.good >= goodRow && slow > 0:
		next = eased(slow, own)
		s.good = 0
	}
	if next > slow {
		s.raised = time.Now()
	}
	s.seen = next
	return next
}

func (s *strain) note(m manner) {
	bad := m == mannerError || m == mannerBusy
	s.recent <<= 1
	if bad {
		s.recent |= 1
	}
	s.recent &= 1<<strainWindow - 1
	switch {
	case m == mannerGood:
		s.good++
	case bad:
		s.good = 0
	}
}

// strained reports whether the gap must grow: after a 429, or after a second server
// error.
func (s *strain) strained(m manner) bool {
	return m == mannerBusy || m == mannerError && bits.OnesCount16(s.recent) > 1
}

// raised returns the gap after one more error; 0 if the configured gap is longer than
// any.
func raised(slow, own time.Duration) time.Duration {
	if own >= mostSlow {
		return 0
	}
	return min(2*max(slow, own, leastSlow), mostSlow)
}

// eased returns the gap after goodRow good responses; 0 if the configured gap is
// enough.
func eased(slow, own time.Duration) time.Duration {
	if slow /= 2; slow < max(own, leastSlow)/2 {
		return 0
	}
	return slow
}

// errNobody means that strains.notify is not set.
var errNobody = errors.New("nobody to notify")

// strains keeps the strain of each host that had errors. notify shares a host's gap
// with other processes; without it, or if it fails, this process keeps the gap.
type strains struct {
	notify func(ctx context.Context, host string, gap time.Duration, why string) error // nil: not shared
	hosts  sync.Map                                                                    // host to *strainedHost
}

// strainedHost stays locked during notify, so that changes are reported in order.
type strainedHost struct {
	mu   sync.Mutex
	kept atomic.Int64 // the gap that notify did not take; read with the host's queue locked
	strain
}

// kept returns the gap that only this process knows.
func (s *strains) kept(host string) time.Duration {
	if h, ok := s.hosts.Load(host); ok {
		return time.Duration(h.(*strainedHost).kept.Load())
	}
	return 0
}

// answered records a response. treat returns the current gap after errors and the
// configured gap.
func (s *strains) answered(ctx context.Context, host string, status int, m manner, left time.Time, treat func() (slow, own time.Duration)) {
	slow, _ := treat()
	h, known := s.hosts.Load(host)
	if !known && slow == 0 && m != mannerError && m != mannerBusy {
		return
	}
	if !known {
		h, _ = s.hosts.LoadOrStore(host, &strainedHost{})
	}
	h.(*strainedHost).answered(m, left, treat, func(gap time.Duration) error {
		if s.notify == nil {
			return errNobody
		}
		return s.notify(context.WithoutCancel(ctx), host, gap, fmt.Sprintf("it answered %d", status))
	})
}

func (h *strainedHost) answered(m manner, left time.Time, treat func() (slow, own time.Duration), notify func(time.Duration) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	slow, own := treat()
	next := h.strain.answered(m, left, slow, own)
	if next == slow {
		return
	}
	if notify(next) == nil {
		next = 0
	}
	h.kept.Store(int64(next))
}

// strain records the response in its host's strain.
func (x *exchange) strain(status int, rest time.Duration) {
	host := Host(x.req.URL)
	treat := func() (slow, own time.Duration) {
		r := x.client.settled(host)
		return r.Slow, r.Every
	}
	x.client.strains.answered(x.req.Context(), host, status, mannerOf(status, rest), x.started, treat)
}
