package weather

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// METTimes is how many times a forecast of MET Norway has here: hours, then every
// sixth.
const METTimes = 24

func (s *Service) metNorway(w http.ResponseWriter, r *http.Request, product string) {
	lat, lon := r.URL.Query().Get("lat"), r.URL.Query().Get("lon")
	if !identified(r.UserAgent()) || tooExact(lat) || tooExact(lon) {
		http.Error(w, "403 Forbidden: see https://api.met.no/doc/TermsOfService", http.StatusForbidden)
		return
	}
	p := point{}
	var err, err2 error
	p.lat, err = strconv.ParseFloat(lat, 64)
	p.lon, err2 = strconv.ParseFloat(lon, 64)
	if err != nil || err2 != nil {
		http.Error(w, "missing or invalid lat or lon", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	updated := s.updated
	s.mu.Unlock()
	h := w.Header()
	h.Set("Date", s.config.Now().UTC().Format(http.TimeFormat))
	h.Set("Expires", s.config.Now().Add(s.config.Hold).UTC().Format(http.TimeFormat))
	h.Set("Last-Modified", updated.UTC().Format(http.TimeFormat))
	if since, err := http.ParseTime(r.Header.Get("If-Modified-Since")); err == nil && !updated.After(since) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	w.Write(s.feature(p, product, updated)) // the client may be gone
}

// identified reports an agent that names whom to write to.
func identified(agent string) bool {
	return strings.Contains(agent, "@") || strings.Contains(agent, "://")
}

func tooExact(degrees string) bool {
	_, decimals, _ := strings.Cut(degrees, ".")
	return len(decimals) > 4
}

func (s *Service) feature(p point, product string, updated time.Time) []byte {
	var times []any
	for i, at := range s.metTimes() {
		times = append(times, s.metTime(p, product, at, i))
	}
	return encode(map[string]any{
		"type": "Feature", "geometry": map[string]any{"type": "Point", "coordinates": []any{p.lon, p.lat, 20}},
		"properties": map[string]any{
			"meta": map[string]any{
				"updated_at": updated.UTC().Format(time.RFC3339),
				"units":      map[string]string{"air_temperature": "celsius", "wind_speed": "m/s", "precipitation_amount": "mm", "fog_area_fraction": "%"},
			},
			"timeseries": times,
		},
	})
}

// metTime has fewer periods the farther it is.
func (s *Service) metTime(p point, product string, at time.Time, i int) map[string]any {
	period := func(name string) map[string]any {
		return map[string]any{
			"summary": map[string]any{"symbol_code": "cloudy"},
			"details": map[string]any{"precipitation_amount": s.number(p, name, at.Unix(), 9)},
		}
	}
	instant := map[string]any{"air_temperature": s.number(p, "air", at.Unix(), 30), "wind_speed": s.number(p, "wind", at.Unix(), 20)}
	if product == "complete" {
		instant["fog_area_fraction"] = s.number(p, "fog", at.Unix(), 99)
	}
	data := map[string]any{"instant": map[string]any{"details": instant}}
	for name, until := range map[string]int{"next_1_hours": METTimes / 2, "next_6_hours": METTimes - 2, "next_12_hours": METTimes - 3} {
		if i < until {
			data[name] = period(name)
		}
	}
	return map[string]any{"time": at.UTC().Format(time.RFC3339), "data": data}
}
