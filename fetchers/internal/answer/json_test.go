package answer_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]harvest.Kind{
		`{"a":1}`:                               "",
		" {\"a\":1}\n":                          "",
		`{"a":1`:                                harvest.KindServerError,
		`[{"a":1},`:                             harvest.KindServerError,
		`{"a":1} x`:                             harvest.KindBroken,
		`{"a":"x"}`:                             harvest.KindBroken,
		`<html>`:                                harvest.KindBroken,
		"{\"a\":1,\"b\":\"\xe8\"}":              harvest.KindBroken,
		"":                                      harvest.KindBroken,
		"<title>Just a moment...</title><html>": harvest.KindBlocked,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(body)) // the client may be gone
		}))
		a, err := get(t, answer.Ask{Address: s.URL})
		s.Close()
		require.NoError(t, err)
		var into struct{ A int }
		err = a.JSON(&into)
		require.Equal(t, want, harvest.KindOf(err), "%q: %v", body, err)
		if err == nil {
			require.Equal(t, 1, into.A)
			continue
		}
		require.Equal(t, body, string(harvest.AsError(err).Evidence))
	}
}
