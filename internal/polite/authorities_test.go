package polite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/visit"
)

// A pinned authority makes a host readable that the system does not know, and no other;
// without it nothing of it is left.
func TestAPinnedAuthorityVouchesForItsHost(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	s := a.serve(t, a.whole())
	rule := Rule{CA: a.pem}
	settings := loopback()
	settings.Rules = func(host string) Rule {
		require.Equal(t, "127.0.0.1", host)
		return rule
	}
	shared := open(t, settings)
	c := shared.HTTP(visit.Visitor{Timeout: patience})
	for range 2 {
		_, text, err := get(t.Context(), c, s.URL)
		require.NoError(t, err)
		require.Equal(t, wine, string(text))
	}
	require.Len(t, shared.ways.pinned, 1)
	rule = Rule{}
	_, _, err := get(t.Context(), c, s.URL)
	require.ErrorContains(t, err, "from an unknown authority", "its connections are not used for what is not pinned")
	rule = Rule{CA: newAuthority(t).pem}
	_, _, err = get(t.Context(), c, s.URL)
	require.ErrorContains(t, err, "not from the pinned authority")
}
