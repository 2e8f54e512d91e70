package gazzetta_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
)

func probe(t *testing.T, site *replica.Site, address string) (harvest.Finding, error) {
	t.Helper()
	f := gazzetta.New(&http.Client{Transport: wire{handler: site}})
	return f.(harvest.Prober).Probe(t.Context(), address)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://www.gazzettaufficiale.it/":                                             `{"series":"serie_generale"}`,
		"http://gazzettaufficiale.it":                                                   `{"series":"serie_generale"}`,
		"https://www.gazzettaufficiale.it/30giorni/concorsi":                            `{"series":"concorsi"}`,
		"https://www.gazzettaufficiale.it/ricercaArchivioCompleto/parte_seconda/2026":   `{"series":"parte_seconda"}`,
		"https://www.gazzettaufficiale.it/eli/id/2026/06/13/26A02924/s3":                `{"series":"regioni"}`,
		"https://www.gazzettaufficiale.it/gazzetta/contratti/caricaDettaglio?a=b#fondo": `{"series":"contratti"}`,
		"http://copy.example:8080/30giorni/unione_europea":                              `{"series":"unione_europea","url":"http://copy.example:8080"}`,
	} {
		site := replica.New(replica.Config{Today: date(time.June, 13)})
		f, err := probe(t, site, address)
		require.NoError(t, err, address)
		require.Equal(t, 100, f.Sure, address)
		require.JSONEq(t, want, string(f.Params), address)
		require.Contains(t, f.Detail, "issues in the last thirty days, the last of 2026-06-", address)
		require.LessOrEqual(t, len(site.Requests()), 3, "a probe asks three times at most")
	}
}

func TestProbeElsewhere(t *testing.T) {
	t.Parallel()
	site := replica.New(replica.Config{Today: date(time.June, 13)})
	for _, address := range []string{"https://www.example.org/", "https://notgazzettaufficiale.it/30", "https://example.org/eli/ue/1", "::"} {
		f, err := probe(t, site, address)
		require.NoError(t, err, address)
		require.Zero(t, f.Sure, address)
	}
	require.Empty(t, site.Requests(), "what is somebody else's is not asked")
}

func TestProbeOfWhatIsNotRight(t *testing.T) {
	t.Parallel()
	site := replica.New(replica.Config{Today: date(time.June, 13)})
	site.Break(replica.Where{}, replica.Empty())
	f, err := probe(t, site, "https://copy.example/30giorni/concorsi")
	require.NoError(t, err)
	require.Zero(t, f.Sure)
	_, err = probe(t, site, "https://www.gazzettaufficiale.it/")
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err), "its own site is known by name, and does not answer as it should")
	site.Heal()
	site.Break(replica.Where{}, replica.Status(http.StatusServiceUnavailable))
	_, err = probe(t, site, "https://copy.example/30giorni/concorsi")
	require.Equal(t, harvest.KindServerError, harvest.KindOf(err))
}
