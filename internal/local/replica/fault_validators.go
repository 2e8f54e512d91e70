package replica

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// StuckValidators answers 304 to every conditional request, whatever changed.
func StuckValidators() Fault {
	return replace("304 for ever", func(c *call) *answer {
		if c.r.Header.Get("If-None-Match") != "" || c.r.Header.Get("If-Modified-Since") != "" {
			return newAnswer(http.StatusNotModified, "", nil)
		}
		return c.right()
	})
}

// SameETag sends what changed under one unchanging ETag, always whole.
func SameETag() Fault {
	return lying("same ETag for all", func(a *answer) { a.header.Set("ETag", `"fixed"`) })
}

// RestlessETag sends the same content under an ETag that is new every time.
func RestlessETag() Fault {
	var n atomic.Int64
	return lying("a new ETag every time", func(a *answer) { a.header.Set("ETag", fmt.Sprintf(`"node-%d"`, n.Add(1))) })
}

// NoValidators sends neither ETag nor Last-Modified.
func NoValidators() Fault {
	return Fault{Name: "no validators", shape: unconditional}
}

func lying(name string, change func(a *answer)) Fault {
	f := alter(name, func(_ *call, a *answer) { change(a) })
	f.shape = unconditional
	return f
}

func unconditional(s Shape) Shape {
	s.NoValidators = true
	return s
}
