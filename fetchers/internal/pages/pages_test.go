package pages_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

func TestAnErrorEndsTheSequenceUnlessTheCallerHasStopped(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	fetch := func(out *pages.Out) error {
		done := false
		require.NoError(t, out.Steps(&done, func() error {
			out.Send(harvest.Page{Listed: 1})
			done = out.Stopped
			return nil
		}))
		return boom
	}
	seen := 0
	for _, err := range pages.From(fetch) {
		require.NoError(t, err, "the caller has stopped: it is not called again")
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(t, 3, seen)

	var last error
	for _, err := range pages.From(func(out *pages.Out) error {
		return out.Steps(new(bool), func() error { return boom })
	}) {
		last = err
	}
	require.ErrorIs(t, last, boom)
}

func TestACheckpointThatIsNotOursIsNone(t *testing.T) {
	t.Parallel()
	type place struct {
		At int `json:"at"`
	}
	sound := func(p place) bool { return p.At >= 0 }
	for raw, want := range map[string]place{``: {}, `null`: {}, `[1]`: {}, `{"at":"x"}`: {}, `{"at":-1}`: {}, `{"at":7}`: {At: 7}, `{"at":7`: {}} {
		require.Equal(t, want, pages.Read([]byte(raw), sound), raw)
	}
	require.JSONEq(t, `{"at":7}`, string(pages.Write(place{At: 7})))
}
