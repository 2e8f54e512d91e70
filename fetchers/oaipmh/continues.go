package oaipmh

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/harvest"
)

// Continues is harvest.Continuer: another url, set, prefix or from begins anew.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	old, err := harvest.DecodeParams[Params](before)
	next, err2 := harvest.DecodeParams[Params](now)
	if err != nil || err2 != nil {
		return false, "its params cannot be read"
	}
	c := readCheckpoint(raw)
	if len(raw) == 0 {
		c.Made = old.made()
	}
	if c.holds(next.made()) {
		return true, ""
	}
	return false, "another url, set, prefix or from is harvested from its beginning"
}
