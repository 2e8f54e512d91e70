package harvest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestImply(t *testing.T) {
	t.Parallel()
	d := harvest.Description{Implied: map[string]json.RawMessage{"Old::Name": json.RawMessage(`{"a":1,"b":2}`)}}
	for _, c := range []struct{ name, params, want string }{
		{"new", `{"b":3}`, `{"b":3}`},
		{"new", ``, ``},
		{"Old::Name", ``, `{"a":1,"b":2}`},
		{"Old::Name", `{"b":3,"c":4}`, `{"a":1,"b":3,"c":4}`},
	} {
		got, err := d.Imply(c.name, json.RawMessage(c.params))
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), "%s %s", c.name, c.params)
	}
	_, err := d.Imply("Old::Name", json.RawMessage(`[]`))
	require.Error(t, err)
}
