package items

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// TestWhyInWords: reasons are no code words.
func TestWhyInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, err, want string
	}{
		{"tried-too-many-times", "HTTP status 503", "HTTP status 503 (tried as often as its retry rule allows)"},
		{"not-retriable", "HTTP status 410", "HTTP status 410"},
		{"next-tick", "", "the run had no time left for it"},
		{"moved", "", "moved"},
	} {
		require.Equal(t, c.want, itemStory{Item: rows.Item{Why: c.why}, Error: c.err}.whyText(print.Clock{Zone: time.UTC, Now: time.Now}))
	}
}
