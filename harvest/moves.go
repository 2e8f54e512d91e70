package harvest

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Moves collects the permanent redirects of a fetch. The zero value is ready; it
// may be used by many goroutines at once.
type Moves struct {
	mu    sync.Mutex
	moved map[string]move // by the address that was asked for
	told  map[string]bool // addresses of params
}

type move struct {
	from, to *url.URL
	shown    string
}

const (
	maxMoves = 1000
	maxHops  = 10
)

// Note is for Visitor.Moved.
func (m *Moves) Note(from, to *url.URL, shown string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.moved == nil {
		m.moved, m.told = map[string]move{}, map[string]bool{}
	}
	if len(m.moved) < maxMoves {
		m.moved[from.String()] = move{from, to, shown}
	}
}

// Warnings says of each address in params that it has moved, once; params are as the
// fetcher got them. It quotes neither userinfo nor what looks like a secret.
func (m *Moves) Warnings(params json.RawMessage) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.moved) == 0 {
		return nil
	}
	var v any
	if json.Unmarshal(params, &v) != nil {
		return nil
	}
	for _, address := range texts(v, nil) {
		if to := m.leads(address); to != "" && !m.told[address] {
			m.told[address] = true
			list = append(list, MovedWarning(address, to))
		}
	}
	return list
}

// MovedWarning is what is said of an address that has moved for good.
func MovedWarning(from, to string) string {
	return Redact(from) + " has moved to " + to + "; write the new address into the file"
}

// leads is where a param's address has moved to; "": nowhere.
func (m *Moves) leads(address string) string {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		return ""
	}
	for _, first := range m.moved {
		if !first.isOf(at) {
			continue
		}
		last := first
		for range maxHops {
			next, ok := m.moved[last.to.String()]
			if !ok {
				break
			}
			last = next
		}
		if to := last.without(first, at); to != "" && to != address {
			return to
		}
	}
	return ""
}

// isOf reports a redirect of a param's address, with or without a query that the
// fetcher added to it; that one must have been kept, or the redirect is another
// page's.
func (m move) isOf(at *url.URL) bool {
	if m.from.Scheme != at.Scheme || !strings.EqualFold(m.from.Host, at.Host) || path(m.from) != path(at) {
		return false
	}
	return m.from.RawQuery == at.RawQuery || m.to.RawQuery == m.from.RawQuery && strings.HasPrefix(m.from.RawQuery, at.RawQuery)
}

// without is the new address without the query that the fetcher had added.
func (m move) without(first move, at *url.URL) string {
	if first.from.RawQuery == at.RawQuery || m.to.RawQuery != first.from.RawQuery {
		return m.shown
	}
	address, query, _ := strings.Cut(m.shown, "?")
	if at.RawQuery == "" {
		return address
	}
	parts := strings.Split(query, "&")
	return address + "?" + strings.Join(parts[:min(len(parts), strings.Count(at.RawQuery, "&")+1)], "&")
}

func path(u *url.URL) string {
	if p := u.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// texts are the texts in a JSON value.
func texts(v any, list []string) []string {
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, one := range v {
			list = texts(one, list)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = texts(v[name], list)
		}
	}
	return list
}
