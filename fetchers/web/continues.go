package web

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/harvest"
)

// Continues is harvest.Continuer: pages that are known stay known, and every walk
// begins at the start pages anyway. Only one that is under way begins anew.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	next, err := harvest.DecodeParams[Params](now)
	if err != nil {
		return false, "its params cannot be read"
	}
	made, err := harvest.Fingerprint(next)
	if c := restore(raw); err == nil && c.On && !c.holds(made) {
		return false, "the walk that is under way begins anew; known pages stay known"
	}
	return true, ""
}
