package campaigns

import "math"

// Count is a number or a share: what `tolerate` allows.
type Count struct {
	N     int     `json:"n,omitempty"`
	Share float64 `json:"share,omitempty"` // 0 to 1; outranks N when set
}

// Of returns how many of total are allowed; a share is rounded down.
func (c Count) Of(total int) int {
	if c.Share > 0 {
		return int(math.Floor(c.Share*float64(total) + 1e-9))
	}
	return c.N
}
