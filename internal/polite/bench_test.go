package polite

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vendemmia/vendemmia/internal/visit"
)

// BenchmarkGet compares good conduct with none: what turn, caps and ledger line
// cost per request.
func BenchmarkGet(b *testing.B) {
	page := strings.Repeat(wine, 300)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, page) // test server
	}))
	defer s.Close()
	settings := loopback()
	settings.Rules = func(string) Rule { return Rule{Connections: 32} }
	shared := build(settings, direct, nil)
	defer shared.Close()
	raw := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	defer raw.CloseIdleConnections()
	for name, client := range map[string]*http.Client{
		"plain": raw, "polite": shared.HTTP(visit.Visitor{Contact: "ops@example.it", Record: func(visit.Exchange) {}}),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, _, err := get(b.Context(), client, s.URL); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
