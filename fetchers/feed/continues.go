package feed

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
	"github.com/vendemmia/vendemmia/harvest"
)

// Continues is harvest.Continuer: with other params the whole feed is read once more,
// whatever its validators say.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	c, otherwise := readCheckpoint(raw), "the whole feed is read once more; its older pages are not"
	if c.Walk != nil {
		otherwise = "its older pages are read from the beginning"
	}
	return continues.Check(raw, before, now, made, c.holds, otherwise)
}

func made(p Params) (string, error) { return harvest.Fingerprint(p) }
