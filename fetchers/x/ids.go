package x

import (
	"cmp"
	"regexp"
)

// ids are numbers of up to 19 digits, written as texts: JSON's numbers would lose
// their end.
var ids = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)

func isID(text string) bool { return ids.MatchString(text) }

// newer compares two ids by their number.
func newer(a, b string) bool { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) > 0 }

func newest(a, b string) string {
	if newer(b, a) {
		return b
	}
	return a
}
