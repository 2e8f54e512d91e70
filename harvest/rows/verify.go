package rows

// Check is one thing that Verify looked at.
type Check struct {
	Name   string `json:"check"`
	Looked int64  `json:"looked_at"`
	Wrong  int64  `json:"wrong"`
	// Examples are of what is wrong, at most ten.
	Examples []string `json:"examples,omitempty"`
}

// Found adds something that is wrong.
func (c *Check) Found(what string) {
	const maxExamples = 10
	c.Wrong++
	if len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, what)
	}
}

// Feed names the line of change numbers that a store hands out. It is another one
// after an older copy was put back.
type Feed struct {
	ID string
	// Common is the last number that this line has in common with the one before; a
	// number without an ID is safe up to it. Below zero: there was none before.
	Common int64
}
