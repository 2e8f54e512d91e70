package feed

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestWhatCameInsteadOfAFeedIsEvidence(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		body   string
		kind   harvest.Kind
	}{
		"a page of HTML":   {200, "<html><title>Welcome</title></html>", harvest.KindBroken},
		"a refusal's page": {403, "<html>Access denied</html>", harvest.KindBlocked},
	} {
		source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(answer.status)
			w.Write([]byte(answer.body)) // the client reads it
		}))
		_, err := harvest.Pump(t.Context(), New(source.Client()), harvest.Request{Params: []byte(`{"url":"` + source.URL + `"}`)}, nil)
		source.Close()
		var e *harvest.Error
		require.True(t, errors.As(err, &e), name)
		require.Equal(t, answer.kind, e.Kind, name)
		require.Equal(t, answer.body, string(e.Evidence), name)
		require.NotContains(t, e.Error(), answer.body, "never printed with the error")
	}
}
