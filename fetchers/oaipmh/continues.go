package oaipmh

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
)

// Continues is harvest.Continuer: another url, set, prefix or from starts from the
// beginning.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	made := func(p Params) (string, error) { return p.made(), nil }
	return continues.Check(raw, before, now, made, readCheckpoint(raw).holds, "another url, set, prefix or from is harvested from its beginning")
}
