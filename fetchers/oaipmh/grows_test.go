package oaipmh_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// growing is a shelf of its own, to which another record is added with each call of grow,
// a minute after the one before: its datestamp is what the shelf's clock then says.
func (s *shelf) growing() (source http.Handler, grow func() (id string)) {
	var mu sync.Mutex
	own, now := *s, time.Date(2016, 9, 1, 10, 0, 0, 0, time.UTC)
	own.records = slices.Clone(s.records)
	source = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		own.ServeHTTP(w, r)
	})
	return source, func() string {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Minute)
		own.clock = now.Format(time.RFC3339)
		i := len(own.records)
		r := shelved{id: fmt.Sprintf("oai:repo.example.org:%d", i), stamp: own.form(now)}
		r.text = r.write(i)
		own.records = append(own.records, r)
		return r.id
	}
}
