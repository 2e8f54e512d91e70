package takeover

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// Source is one thing that another harvester collects: a repository, or a set
// of it.
type Source struct {
	Key    string `json:"key"`
	URL    string `json:"url"`
	Prefix string `json:"prefix"`
	Set    string `json:"set,omitempty"`
	// From is the day or moment (UTC) from which records are still to come;
	// empty: it has none yet.
	From string `json:"from,omitempty"`
	// Params are further params of the fetcher: from, until, granularity.
	Params map[string]string `json:"params,omitempty"`
}

// Harvest is what another harvester collects, in its own order; no two Sources
// have the same key.
type Harvest struct {
	Sources []Source
	// Timeout is the longest that one of them waits for an answer; 0: not said.
	Timeout time.Duration
	// Notes are what cannot be taken over, each with its place.
	Notes []campaigns.Problem

	keys map[string]bool
}

// keep adds a source; a key that is taken becomes one that says whose it is, the
// same at each import.
func (h *Harvest) keep(s Source) {
	if h.keys == nil {
		h.keys = map[string]bool{}
	}
	for h.keys[s.Key] {
		s.Key += "-" + mark(s.Set+"#"+s.Prefix+"#"+s.URL)
	}
	h.keys[s.Key] = true
	h.Sources = append(h.Sources, s)
}

// defaultPrefix is what both harvesters ask for when nothing else is said.
const defaultPrefix = "oai_dc"

func (h *Harvest) note(file string, line int, text string) {
	h.Notes = append(h.Notes, campaigns.Problem{File: file, Line: line, Text: text})
}

// Positions are where the sources go on; those without one are left out.
func (h *Harvest) Positions() []Position {
	var out []Position
	for _, s := range h.Sources {
		if s.From != "" {
			out = append(out, Position{Item: s.Key, At: map[string]string{"from": s.From}})
		}
	}
	return out
}

// moment returns a day or a moment in UTC as OAI-PMH writes them (section 3.3),
// or "" for anything else.
func moment(text string) string {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05Z"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 0 {
			return text
		}
	}
	return ""
}

// cleanAddress takes userinfo off an address, and says so; "" is not an address.
func cleanAddress(text string) (address string, secret bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	secret = u.User != nil
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u.String(), secret
}

// smallFile reads a file of state; those are some bytes long.
func smallFile(from fs.FS, name string) (string, error) {
	b, err := userfile.ReadFS(from, name, 1<<20)
	return string(b), err
}

// mark is a short name that differs where text differs.
func mark(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:3])
}
