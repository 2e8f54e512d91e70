// Package robots reads robots.txt as RFC 9309 says and tells what it allows. It
// asks nothing of the network and keeps nothing.
package robots

import (
	"fmt"
	"time"
)

// MaxSize is how much of a file is read (RFC 9309, section 2.5, asks for at
// least 500 KiB).
const MaxSize = 512 << 10

// MaxDelay caps a Crawl-delay: the line is no part of the standard, and some
// files ask for days.
const MaxDelay = 2 * time.Minute

// File is a parsed robots.txt. It is never changed and may be used by many
// goroutines at once; the zero File allows everything.
type File struct {
	groups []*group
}

// group is the rules that some agents share.
type group struct {
	agents []string // product tokens in small letters, or "*"
	rules  []rule
	delay  time.Duration
}

// rule is one Allow or Disallow line.
type rule struct {
	allow   bool
	pattern pattern
	text    string // as it was written
	line    int
}

// Rules are what one agent has to heed: all of its groups together.
type Rules struct {
	rules []rule
	// Delay is the longest Crawl-delay of the groups, at most MaxDelay.
	Delay time.Duration
}

// Verdict says whether an address may be asked for, and by which line.
type Verdict struct {
	Allowed bool
	// Line and Text are of the line that decided; 0 where none did.
	Line int
	Text string
}

// String is the verdict for the ledger: "disallowed by line 3 (Disallow: /x)".
func (v Verdict) String() string {
	word := "disallowed"
	if v.Allowed {
		word = "allowed"
	}
	if v.Line == 0 {
		return word
	}
	return fmt.Sprintf("%s by line %d (%s)", word, v.Line, v.Text)
}

// For returns what an agent has to heed. The agent is a product token such as
// "Vendemmia", compared without regard to case (section 2.2.1). All groups that
// name it count together; those of "*" only where none does.
func (f *File) For(agent string) Rules {
	token := product(agent)
	if r, ok := f.merge(token); ok && token != "" {
		return r
	}
	r, _ := f.merge("*")
	return r
}

func (f *File) merge(token string) (r Rules, found bool) {
	for _, g := range f.groups {
		for _, a := range g.agents {
			if a == token {
				found = true
				r.rules = append(r.rules, g.rules...)
				r.Delay = max(r.Delay, g.delay)
				break
			}
		}
	}
	return r, found
}

// Check decides about an address by its path and query as they are sent
// ("/a/b?c=d"): the longest matching pattern counts, and of two alike the one
// that allows (section 2.2.2). The file itself is always allowed.
func (r Rules) Check(target string) Verdict {
	path := normal(target)
	if path == "/robots.txt" {
		return Verdict{Allowed: true}
	}
	best := Verdict{Allowed: true}
	length := -1
	for i := range r.rules {
		rule := &r.rules[i]
		n := rule.pattern.length
		if n < length || n == length && !rule.allow || !rule.pattern.matches(path) {
			continue
		}
		length, best = n, Verdict{Allowed: rule.allow, Line: rule.line, Text: rule.text}
	}
	return best
}
