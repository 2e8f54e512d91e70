package campaigns_test

import (
	"testing"

	"github.com/vendemmia/vendemmia/campaigns"
)

func TestReferenceIsWhatTheTableSays(t *testing.T) {
	t.Parallel()
	golden(t, "../docs/campaign-file.md", []byte(campaigns.Reference()))
}
