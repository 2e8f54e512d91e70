// Package wording has what messages to people share: suggestions, plurals, numbers and
// cut texts.
package wording

import "strings"

// Nearest returns the candidate that is closest to word, ignoring case, or "" if none
// is close: at most a third of the letters, and at most three, may differ
// (Damerau-Levenshtein distance).
func Nearest(word string, candidates []string) string {
	best, limit := "", min(3, max(1, len([]rune(word))/3))+1
	for _, c := range candidates {
		if d := distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(c))); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and adjacent swaps.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
