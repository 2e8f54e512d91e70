package campaigns

import (
	_ "embed"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
)

//go:embed reference.md
var referenceText string

// Reference returns docs/campaign-file.md: the rules by hand, the tables of
// keys from the one table that also checks files.
func Reference() string {
	return strings.NewReplacer("{{keys}}\n", keys.Reference(), "{{retry}}", keys.DefaultRetry()).Replace(referenceText)
}
