package scope

import (
	"fmt"
)

func FailureRef(id int64) string { return fmt.Sprintf("q-%d", id) }
