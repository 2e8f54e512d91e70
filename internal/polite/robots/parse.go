package robots

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a file. Nothing is an error: what cannot be read is passed over
// (section 2.2.4), and what is longer than MaxSize is cut at its last whole
// line.
func Parse(body []byte) *File {
	body = bytes.TrimPrefix(cut(body), []byte("\xef\xbb\xbf"))
	p := &parser{file: &File{}}
	for len(body) > 0 {
		var text []byte
		text, body = nextLine(body)
		p.line++
		p.read(text)
	}
	return p.file
}

func cut(body []byte) []byte {
	if len(body) <= MaxSize {
		return body
	}
	body = body[:MaxSize]
	return body[:max(0, bytes.LastIndexAny(body, "\r\n"))]
}

// nextLine cuts at CR, LF or CRLF.
func nextLine(body []byte) (text, rest []byte) {
	i := bytes.IndexAny(body, "\r\n")
	if i < 0 {
		return body, nil
	}
	end := i + 1
	if body[i] == '\r' && end < len(body) && body[end] == '\n' {
		end++
	}
	return body[:i], body[end:]
}

// parser is a file as far as it was read.
type parser struct {
	file   *File
	group  *group
	naming bool // the last line that counts named an agent
	line   int
}

func (p *parser) read(text []byte) {
	text, _, _ = bytes.Cut(text, []byte("#"))
	key, value, ok := split(strings.TrimSpace(string(text)))
	if !ok {
		return
	}
	switch {
	case slices.Contains(agentWords, key):
		p.agent(value)
	case key == "allow":
		p.rule(true, value)
	case slices.Contains(disallowWords, key):
		p.rule(false, value)
	case key == "crawl-delay" || key == "crawldelay":
		p.delay(value)
	}
}

// The words of a line, with the slips that are common: a slip in a file is no
// leave to go where its owner does not want us.
var (
	agentWords    = []string{"user-agent", "useragent", "user agent"}
	disallowWords = []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}
)

// split parts a line at its colon, or at white space where the colon was
// forgotten.
func split(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	if !ok {
		if fields := strings.Fields(text); len(fields) == 2 {
			key, value, ok = fields[0], fields[1], true
		}
	}
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}

// agent begins a group, or joins the one whose agents are being named: lines
// that are no rules do not end the naming.
func (p *parser) agent(value string) {
	if !p.naming {
		p.group = &group{}
		p.file.groups = append(p.file.groups, p.group)
		p.naming = true
	}
	if value == "*" || strings.HasPrefix(value, "* ") {
		p.group.agents = append(p.group.agents, "*")
	} else if token := product(value); token != "" {
		p.group.agents = append(p.group.agents, token)
	}
}

// rule adds a line; an empty path is no rule, but ends the naming.
func (p *parser) rule(allow bool, value string) {
	p.naming = false
	if p.group == nil || value == "" {
		return
	}
	text := "Disallow: " + value
	if allow {
		text = "Allow: " + value
	}
	p.group.rules = append(p.group.rules, rule{allow: allow, pattern: newPattern(value), text: text, line: p.line})
}

func (p *parser) delay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if p.group == nil || err != nil || !(seconds > 0) {
		return
	}
	d := MaxDelay
	if seconds < MaxDelay.Seconds() {
		d = time.Duration(seconds * float64(time.Second))
	}
	p.group.delay = max(p.group.delay, d)
}

// product is the token an agent is known by, in small letters: letters, "-" and
// "_" only (section 2.2.1), so that a version behind it does not matter.
func product(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
	})
	if end >= 0 {
		agent = agent[:end]
	}
	return strings.ToLower(agent)
}
