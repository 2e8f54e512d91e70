package replica

// Fault is a way to answer wrongly. The zero value answers rightly.
type Fault struct {
	// Name says in a few words what it does.
	Name string
	// serve answers in place of the feed.
	serve func(c *call)
	// shape changes how the feed is written.
	shape func(s Shape) Shape
	// records changes what the feed lists.
	records func(list []Entry) []Entry
}

// replace is a fault that answers something else altogether.
func replace(name string, make func(c *call) *answer) Fault {
	return Fault{Name: name, serve: func(c *call) { make(c).send(c.w) }}
}

// alter is a fault that changes the right answer.
func alter(name string, change func(c *call, a *answer)) Fault {
	return replace(name, func(c *call) *answer {
		a := c.right()
		change(c, a)
		return a
	})
}
