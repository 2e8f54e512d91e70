package gazzetta

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
)

// Continues is harvest.Continuer: another series, from, pdf or url starts from the
// beginning.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	return continues.Check(raw, before, now, Params.made, readCheckpoint(raw).holds, "another series, from, pdf or url is read from its beginning")
}
