package weather

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"time"
)

// Limits are weights by minute, hour and day; 0: those of the free plan.
type Limits struct{ Minutely, Hourly, Daily float64 }

// call is what was taken, and when.
type call struct {
	at     time.Time
	weight float64
}

// weight is what the service counts a request as.
func (a asked) weight() float64 {
	vars := float64(len(a.hourly) + len(a.daily) + len(a.current))
	return float64(len(a.places)) * max(1, vars/10, vars/10*float64(a.days)/14)
}

// take books a request, or gives the reason for which it is refused. One that is
// refused counts 1.
func (s *Service) take(weight float64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	for _, limit := range []struct {
		most   float64
		in     time.Duration
		reason string
	}{
		{cmp.Or(s.config.Limits.Minutely, 600), time.Minute, "Minutely API request limit exceeded. Please try again in one minute."},
		{cmp.Or(s.config.Limits.Hourly, 5000), time.Hour, "Hourly API request limit exceeded. Please try again in the next hour."},
		{cmp.Or(s.config.Limits.Daily, 10000), 24 * time.Hour, "Daily API request limit exceeded. Please try again tomorrow."},
	} {
		sum := 0.0
		for _, c := range s.used {
			if now.Sub(c.at) < limit.in {
				sum += c.weight
			}
		}
		if sum >= limit.most {
			s.used = append(s.used, call{now, 1})
			return limit.reason
		}
	}
	s.used = append(s.used, call{now, weight})
	return ""
}

// number is a value with one decimal, from 0 to most.
func (s *Service) number(p point, name string, at int64, most float64) float64 {
	s.mu.Lock()
	seed := s.config.Seed
	s.mu.Unlock()
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %.4f %.4f %s %d", seed, p.lat, p.lon, name, at) // a hash never fails
	return float64(h.Sum64()%uint64(10*most)) / 10
}
