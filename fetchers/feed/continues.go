package feed

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/harvest"
)

// Continues is harvest.Continuer: with other params the feed is read once more,
// whatever its validators say.
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
	switch {
	case c.holds(next):
		return true, ""
	case c.Walk != nil:
		return false, "its older pages are read from the beginning"
	default:
		return false, "the whole feed is read once more; its older pages are not"
	}
}

func madeOf(raw json.RawMessage) (string, error) {
	p, err := harvest.DecodeParams[Params](raw)
	if err != nil {
		return "", err
	}
	return harvest.Fingerprint(p)
}
