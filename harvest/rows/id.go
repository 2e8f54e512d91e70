package rows

import (
	"errors"
	"fmt"
)

// MaxID is the largest size of a document's id in bytes, for all stores. PostgreSQL
// keeps ids in indexes, beside a collection and more, in rows of at most 2,704 bytes.
const MaxID = 1024

// CheckID returns an error for an id that cannot be stored.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("the record has no id")
	case len(id) > MaxID:
		return fmt.Errorf("its id has %d bytes, more than the 1,024 that a store keeps", len(id))
	default:
		return nil
	}
}
