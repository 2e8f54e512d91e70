// Package continues answers harvest.Continuer for fetchers whose checkpoints hold a
// fingerprint of the params they were made from.
package continues

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/harvest"
)

// Check reports whether an item goes on from its checkpoint after its params change from
// before to now; otherwise it returns otherwise as the reason. made returns the
// fingerprint of params, and holds whether the checkpoint was made from one. An empty
// checkpoint stands for one made from the params before.
func Check[P any](checkpoint, before, now json.RawMessage, made func(P) (string, error), holds func(string) bool, otherwise string) (bool, string) {
	old, err := fingerprint(before, made)
	next, err2 := fingerprint(now, made)
	switch {
	case err != nil || err2 != nil:
		return false, "its params cannot be read"
	case len(checkpoint) == 0 && old == next, len(checkpoint) > 0 && holds(next):
		return true, ""
	default:
		return false, otherwise
	}
}

func fingerprint[P any](raw json.RawMessage, made func(P) (string, error)) (string, error) {
	p, err := harvest.DecodeParams[P](raw)
	if err != nil {
		return "", err
	}
	return made(p)
}
