package oai

import (
	"maps"
	"net/url"
	"time"
)

// Request is one request as the server saw it.
type Request struct {
	At     time.Time // by the machine's clock
	Method string
	Verb   string
	Args   url.Values // verb included
	Agent  string
	Fault  string // the one it met, "" for a right answer
	// Status is 0 until there is an answer, and for ever when the connection was
	// closed without one. Problem is the code of the first protocol error.
	Status  int
	Problem string
	Records int
	Bytes   int // of the body as sent
}

// Counts is what was asked and what was sent.
type Counts struct {
	Requests int
	Pages    int // with a record on them
	Records  int
	Bytes    int64
	Statuses map[int]int
	Verbs    map[string]int
}

// Requests lists the requests since the start or the last Reset, in the order
// in which they came.
func (r *Repository) Requests() []Request {
	r.desk.Lock()
	defer r.desk.Unlock()
	list := make([]Request, len(r.log))
	for i, q := range r.log {
		list[i] = *q
		list[i].Args = maps.Clone(q.Args)
	}
	return list
}

// Counts sums the requests up.
func (r *Repository) Counts() Counts {
	c := Counts{Statuses: map[int]int{}, Verbs: map[string]int{}}
	for _, q := range r.Requests() {
		c.Requests++
		c.Records += q.Records
		c.Bytes += int64(q.Bytes)
		c.Statuses[q.Status]++
		c.Verbs[q.Verb]++
		if q.Records > 0 {
			c.Pages++
		}
	}
	return c
}

// Reset forgets the requests, and what faults remember of them.
func (r *Repository) Reset() {
	r.desk.Lock()
	defer r.desk.Unlock()
	r.log = nil
	clear(r.seen)
}

// enter books a request when it comes.
func (c *call) enter() {
	c.note = &Request{At: time.Now(), Method: c.r.Method, Verb: c.verb, Args: c.args, Agent: c.r.UserAgent()}
	c.house.log = append(c.house.log, c.note)
}

// book writes down the answer before anything of it leaves: who has an answer
// finds it in the books.
func (c *call) book(a *answer) {
	c.house.desk.Lock()
	defer c.house.desk.Unlock()
	c.note.Status, c.note.Problem, c.note.Records, c.note.Bytes = a.status, a.problem, a.records, len(a.body)
}

// once reports whether it is called the first time for the fault and the key.
func (c *call) once(key string) bool {
	c.house.desk.Lock()
	defer c.house.desk.Unlock()
	key = c.fault.Name + " " + key
	defer func() { c.house.seen[key] = true }()
	return !c.house.seen[key]
}
