package visit

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/vendemmia/vendemmia/harvest"
)

// Moves collects the permanent redirects of a fetch. The zero value is ready for use, by
// many goroutines at once.
type Moves struct {
	mu     sync.Mutex
	moved  map[string]move // by the address that was asked for
	warned map[string]bool // addresses of params
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
		m.moved, m.warned = map[string]move{}, map[string]bool{}
	}
	if len(m.moved) < maxMoves {
		m.moved[from.String()] = move{from, to, shown}
	}
}

// Warnings returns a warning for each address in params that has moved, once per address.
// params are as the fetcher got them. Warnings have no userinfo and no values that look
// like secrets.
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
		if to := m.leads(address); to != "" && !m.warned[address] {
			m.warned[address] = true
			list = append(list, MovedWarning(address, to))
		}
	}
	return list
}

// MovedWarning is the warning for an address that has moved permanently.
func MovedWarning(from, to string) string {
	return harvest.Redact(from) + " has moved to " + to + "; write the new address into the file"
}

// leads returns the new address of a param's address, or "".
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

// isOf reports whether m redirects a param's address, possibly with a query that the
// fetcher added. The redirect must keep that query; otherwise it is another page's.
func (m move) isOf(at *url.URL) bool {
	if m.from.Scheme != at.Scheme || !strings.EqualFold(m.from.Host, at.Host) || path(m.from) != path(at) {
		return false
	}
	return m.from.RawQuery == at.RawQuery || m.to.RawQuery == m.from.RawQuery && strings.HasPrefix(m.from.RawQuery, at.RawQuery)
}

// without returns the new address without the query that the fetcher had added.
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

// texts appends all strings in a JSON value to list.
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
