package fetchertest

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxPanics is how many of the first requests are tried.
const maxPanics = 4

// checkPanics lets one request after the other panic under the fetcher. In a
// goroutine of its own that ends the process, and with it this test.
func checkPanics(t *testing.T, c Case) {
	base := c.serve(t, nil)
	for n := range int64(maxPanics) {
		h := client(t, patience)
		mine := &mine{RoundTripper: h.Transport, at: n + 1}
		h.Transport = mine
		_, sum, err := fetch(t, c.New(h), c.request(base, nil))
		if mine.asked.Load() > n {
			require.True(t, err != nil || sum.Partial || sum.Quarantined > 0, "a panic at request %d of the fetch passed for a success", n+1)
		}
	}
}

// mine goes off under one request.
type mine struct {
	http.RoundTripper
	at    int64
	asked atomic.Int64
}

// RoundTrip is part of http.RoundTripper.
func (m *mine) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.asked.Add(1) == m.at {
		panic("a defect")
	}
	return m.RoundTripper.RoundTrip(r)
}
