package replica

import (
	"net/http"
	"strconv"
)

// call is one request for a feed: what a fault works on.
type call struct {
	view view
	w    http.ResponseWriter
	r    *http.Request
	// done is closed when the house closes.
	done <-chan struct{}
}

// page is the page asked for, from 1.
func (c *call) page() int {
	n, err := strconv.Atoi(c.r.URL.Query().Get("page"))
	if err != nil {
		return 1
	}
	return max(1, n)
}

// right is the answer of a healthy feed.
func (c *call) right() *answer {
	if c.view.unmodified(c.r) {
		a := newAnswer(http.StatusNotModified, "", nil)
		c.validators(a)
		return a
	}
	a := c.whole()
	a.compress(c.r)
	return a
}

// whole is right without conditions and compression.
func (c *call) whole() *answer {
	body, contentType := c.view.render(c.page())
	a := newAnswer(http.StatusOK, contentType, body)
	c.validators(a)
	return a
}

func (c *call) validators(a *answer) {
	if c.view.shape.NoValidators {
		return
	}
	a.header.Set("ETag", c.view.etag())
	a.header.Set("Last-Modified", c.view.modified().Format(http.TimeFormat))
}

// wait ends when the client or the house goes.
func (c *call) wait() {
	select {
	case <-c.r.Context().Done():
	case <-c.done:
	}
}
