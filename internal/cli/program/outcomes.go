package program

import (
	"strings"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Outcomes reads the words of --outcome, each perhaps a list with commas.
func Outcomes(words []string) ([]outcomes.Outcome, error) {
	var out []outcomes.Outcome
	for _, list := range words {
		for w := range strings.SplitSeq(list, ",") {
			o := outcomes.Outcome(w)
			if !o.Valid() {
				near := wording.Nearest(w, OutcomeNames())
				if near != "" {
					return nil, Usage("--outcome %s: no such outcome; did you mean %s?", w, near)
				}
				return nil, Usage("--outcome %s: one of %s", w, strings.Join(OutcomeNames(), ", "))
			}
			out = append(out, o)
		}
	}
	return out, nil
}
