package replica

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Damage is what can be wrong with an entry.
type Damage string

// The damages.
const (
	BadDate Damage = "bad date" // the 31st of February
	NoID    Damage = "no id"
	NoLink  Damage = "no link"
	NoTitle Damage = "no title"
	NoDate  Damage = "no date"
)

// Broken damages the newest n entries in all the given ways.
func Broken(n int, how ...Damage) Fault {
	words := make([]string, len(how))
	for i, h := range how {
		words[i] = string(h)
	}
	return records(fmt.Sprintf("%d entries with %s", n, strings.Join(words, ", ")), func(list []Entry) []Entry {
		for i := range list[:min(n, len(list))] {
			for _, h := range how {
				list[i].damage(h)
			}
		}
		return list
	})
}

func (e *Entry) damage(how Damage) {
	switch how {
	case BadDate:
		e.BadDate = "31/02/2026"
	case NoID:
		e.ID = ""
	case NoLink:
		e.Link = ""
	case NoTitle:
		e.Title = ""
	case NoDate:
		e.Published = time.Time{}
	}
}

// DuplicateIDs gives the newest n entries the id and link of the newest one.
func DuplicateIDs(n int) Fault {
	return records(fmt.Sprintf("%d entries with one id", n), func(list []Entry) []Entry {
		for i := range list[:min(n, len(list))] {
			list[i].ID, list[i].Link = list[0].ID, list[0].Link
		}
		return list
	})
}

// OldestFirst lists the entries oldest first.
func OldestFirst() Fault {
	return records("oldest first", func(list []Entry) []Entry {
		slices.Reverse(list)
		return list
	})
}

// records is a fault of what is listed. Validators go, for they speak of the
// healthy feed: a client that saw that must see this.
func records(name string, change func([]Entry) []Entry) Fault {
	return Fault{Name: name, records: change, shape: unconditional}
}
