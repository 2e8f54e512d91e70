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
	// leastSlow is what a gap is taken for at least when it is doubled or halved.
	leastSlow = time.Second
	// mostSlow bounds the gap of a host in trouble.
	mostSlow = time.Minute
	// goodRow is how many good answers in a row halve that gap.
	goodRow = 10
	// strainWindow is within how many answers a second server error counts.
	strainWindow = 10
)

// manner is what an answer says about how its host is doing.
type manner int

const (
	mannerOther manner = iota // nothing
	mannerGood
	mannerError // 5xx: one alone says little
	mannerBusy  // 429
)

// mannerOf reads a status. An answer that asks for a rest has its wish already.
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

// strain is what the answers of one host said lately.
type strain struct {
	recent uint16 // the last answers, the newest lowest; 1: server error or busy
	good   int    // in a row, since the last change
	seen   time.Duration
	raised time.Time
}

// answered takes in the answer to a request that left at a moment, and returns
// the gap to keep from now on. slow is the one that holds, own what is kept
// anyway. Who left before the last raise does not raise again: that request did
// not know the gap.
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

// strained: a 429 is meant for us, one server error is an accident.
func (s *strain) strained(m manner) bool {
	return m == mannerBusy || m == mannerError && bits.OnesCount16(s.recent) > 1
}

// raised is the gap of a host that is in trouble with this one. Where its own is
// as long as any, there is none.
func raised(slow, own time.Duration) time.Duration {
	if own >= mostSlow {
		return 0
	}
	return min(2*max(slow, own, leastSlow), mostSlow)
}

// eased is the gap of a host that is well with this one; 0: its own will do.
func eased(slow, own time.Duration) time.Duration {
	if slow /= 2; slow < max(own, leastSlow)/2 {
		return 0
	}
	return slow
}

// errNobody: there is no one to tell.
var errNobody = errors.New("nobody is told")

// strains keeps the strain of each host that was ever in trouble. The gap of a
// host is kept for all where somebody is told, else here.
type strains struct {
	notify func(ctx context.Context, host string, gap time.Duration, why string) error // nil: nobody
	hosts  sync.Map                                                                    // host to *strainedHost
}

// strainedHost is locked while a change is told, so that changes are told in order.
type strainedHost struct {
	mu   sync.Mutex
	kept atomic.Int64 // the gap that could not be told; read with the host's queue locked
	strain
}

// kept is the gap that only this process knows of.
func (s *strains) kept(host string) time.Duration {
	if h, ok := s.hosts.Load(host); ok {
		return time.Duration(h.(*strainedHost).kept.Load())
	}
	return 0
}

// answered takes in a host's answer. treat gives the gap that is kept because of
// trouble and the one that is kept anyway.
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

// strain takes in what the answer says about its host.
func (x *exchange) strain(status int, rest time.Duration) {
	host := Host(x.req.URL)
	treat := func() (slow, own time.Duration) {
		r := x.client.settled(host)
		return r.Slow, r.Every
	}
	x.client.strains.answered(x.req.Context(), host, status, mannerOf(status, rest), x.started, treat)
}
