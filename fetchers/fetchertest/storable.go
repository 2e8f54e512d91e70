package fetchertest

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// Storable checks, for fuzz targets, that documents made of foreign bytes can be stored:
// they have ids, their texts are UTF-8, their fields are JSON and their dates exist.
func Storable(t testing.TB, docs ...harvest.Document) {
	t.Helper()
	for _, d := range docs {
		require.NotEmpty(t, d.ID)
		require.True(t, utf8.ValidString(d.ID+d.Title+d.URL+d.Parent+d.Kind+d.MediaType), "%q", d.ID)
		_, err := json.Marshal(d.Fields)
		require.NoError(t, err)
		_, ok := times.Storable(d.Published)
		require.True(t, ok || d.Published.IsZero(), "%s", d.Published)
	}
}
