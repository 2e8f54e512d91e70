package gazzetta

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/harvest"
)

// Continues is harvest.Continuer: another series, from, pdf or url begins anew.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	old, err := madeOf(before)
	next, err2 := madeOf(now)
	if err != nil || err2 != nil {
		return false, "its params cannot be read"
	}
	c := readCheckpoint(raw)
	if len(raw) == 0 {
		c.Made = old
	}
	if c.holds(next) {
		return true, ""
	}
	return false, "another series, from, pdf or url is read from its beginning"
}

func madeOf(raw json.RawMessage) (string, error) {
	p, err := harvest.DecodeParams[Params](raw)
	if err != nil {
		return "", err
	}
	return p.made()
}
