package oai

import (
	"fmt"
	"net/http"
	"testing"
)

// BenchmarkPages renders pages of 1,000 records of about 1.1 kB without a
// network; cached ones show what a harvester's benchmark pays.
func BenchmarkPages(b *testing.B) {
	for _, cached := range []int{0, 1000} {
		r := New(Config{Records: 100_000, Page: 1000, CachePages: cached})
		b.Run(fmt.Sprintf("cache=%d", cached), func(b *testing.B) {
			target := Path + "?" + query4(records())
			n := 0
			for b.Loop() {
				w := inside(r, http.MethodGet, target, "")
				n += 1000
				b.SetBytes(int64(w.Body.Len()))
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
