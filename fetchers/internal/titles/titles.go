// Package titles makes titles for documents that have none.
package titles

import "strings"

// most is how many characters a title has.
const most = 80

// Of is the beginning of a text as one line, with … where it was cut.
func Of(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= most {
		return string(line)
	}
	return string(line[:most-1]) + "…"
}
