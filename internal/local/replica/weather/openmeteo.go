package weather

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Variables are those that Open-Meteo knows here, with their units.
func Variables() map[string]string {
	return map[string]string{
		"temperature_2m": "°C", "relative_humidity_2m": "%", "precipitation": "mm", "weather_code": "wmo code", "wind_speed_10m": "km/h",
		"temperature_2m_max": "°C", "temperature_2m_min": "°C", "precipitation_sum": "mm", "sunrise": "unixtime",
	}
}

type point struct{ lat, lon float64 }

// asked is a request that was understood.
type asked struct {
	places        []point
	hourly, daily []string
	current       []string
	first         time.Time
	days          int
	unix          bool
	zone          *time.Location
}

func (s *Service) openMeteo(w http.ResponseWriter, r *http.Request) {
	a, reason := s.read(r.URL.Query())
	if reason == "" {
		if over := s.take(a.weight()); over != "" {
			refuse(w, http.StatusTooManyRequests, over)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Write(s.answer(a)) // the client may be gone
		return
	}
	s.take(1)
	refuse(w, http.StatusBadRequest, reason)
}

func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(encode(map[string]any{"error": true, "reason": reason})) // the client may be gone
}

// read understands a query, or gives the reason why not.
func (s *Service) read(q url.Values) (a asked, reason string) {
	if a.places, reason = points(q); reason != "" {
		return a, reason
	}
	for name, list := range map[string]*[]string{"hourly": &a.hourly, "daily": &a.daily, "current": &a.current} {
		if q.Get(name) == "" {
			continue
		}
		*list = strings.Split(q.Get(name), ",")
		for _, v := range *list {
			if Variables()[v] == "" {
				return a, fmt.Sprintf("Cannot initialize WeatherVariable from invalid String value %s for key %s", v, name)
			}
		}
	}
	a.unix = q.Get("timeformat") == "unixtime"
	return a, s.span(q, &a)
}

// span reads the days asked for and the zone in which they begin.
func (s *Service) span(q url.Values, a *asked) string {
	zone := q.Get("timezone")
	if len(a.daily) > 0 && zone == "" {
		return "Timezone is required"
	}
	if zone == "auto" {
		zone = "Europe/Rome"
	}
	var err error
	if a.zone, err = time.LoadLocation(zone); err != nil {
		return "Invalid timezone"
	}
	a.days = 7
	if n := q.Get("forecast_days"); n != "" {
		a.days, _ = strconv.Atoi(n)
	}
	if a.days < 0 || a.days > 16 {
		return fmt.Sprintf("Forecast days is invalid. Allowed range 0 to 16. Given %d.", a.days)
	}
	past, _ := strconv.Atoi(q.Get("past_days"))
	now := s.config.Now().In(a.zone)
	a.first, a.days = time.Date(now.Year(), now.Month(), now.Day()-past, 0, 0, 0, 0, a.zone), a.days+past
	if from, err := time.ParseInLocation(time.DateOnly, q.Get("start_date"), a.zone); err == nil {
		until, _ := time.ParseInLocation(time.DateOnly, q.Get("end_date"), a.zone)
		a.first, a.days = from, int(until.Sub(from).Hours()/24)+1
	}
	return ""
}

func points(q url.Values) (list []point, reason string) {
	lats, lons := strings.Split(q.Get("latitude"), ","), strings.Split(q.Get("longitude"), ",")
	switch {
	case len(lats) != len(lons):
		return nil, "Parameter 'latitude' and 'longitude' must have the same number of elements"
	case len(lats) > 1000:
		return nil, "Only up to 1000 locations can be requested at once"
	}
	for i := range lats {
		lat, err := strconv.ParseFloat(lats[i], 64)
		lon, err2 := strconv.ParseFloat(lons[i], 64)
		if err != nil || err2 != nil {
			return nil, "Value of type 'Float' required for key 'latitude'."
		}
		if lat > 90 || lat < -90 {
			return nil, fmt.Sprintf("Latitude must be in range of -90 to 90°. Given: %s.", strconv.FormatFloat(lat, 'f', 1, 64))
		}
		list = append(list, point{lat, lon})
	}
	return list, ""
}

// answer is an object for one place, else a list.
func (s *Service) answer(a asked) []byte {
	var list []map[string]any
	for i, p := range a.places {
		l := s.location(a, p)
		if i > 0 {
			l["location_id"] = i
		}
		list = append(list, l)
	}
	if len(list) == 1 {
		return encode(list[0])
	}
	return encode(list)
}

// location is what the service says of a place: of the cell of its grid.
func (s *Service) location(a asked, p point) map[string]any {
	abbreviation, offset := a.first.Zone()
	l := map[string]any{
		"latitude": cell(p.lat), "longitude": cell(p.lon), "elevation": 20 + s.number(p, "elevation", 0, 400),
		"generationtime_ms": float64(len(s.Requests())) / 8, "utc_offset_seconds": offset, "timezone": a.zone.String(), "timezone_abbreviation": abbreviation,
	}
	if len(a.current) > 0 {
		m := s.series(a, p, a.current, []time.Time{s.config.Now().Truncate(15 * time.Minute)})
		now := map[string]any{"interval": 900}
		for name, values := range m {
			now[name] = values[0]
		}
		l["current"], l["current_units"] = now, a.units(a.current)
	}
	if len(a.hourly) > 0 {
		l["hourly"], l["hourly_units"] = s.series(a, p, a.hourly, a.times(time.Hour)), a.units(a.hourly)
	}
	if len(a.daily) > 0 {
		l["daily"], l["daily_units"] = s.series(a, p, a.daily, a.times(24*time.Hour)), a.units(a.daily)
	}
	return l
}

func cell(degrees float64) float64 { return float64(int(degrees*16)) / 16 }

// times are those of the days asked for, counted with the one offset that an answer
// has, also where the clocks change in between.
func (a asked) times(step time.Duration) (list []time.Time) {
	for t := a.first; len(list) < int(time.Duration(a.days)*24*time.Hour/step); t = t.Add(step) {
		list = append(list, t)
	}
	return list
}

func (a asked) units(names []string) map[string]string {
	u := map[string]string{"time": "unixtime"}
	for _, name := range names {
		u[name] = Variables()[name]
	}
	return u
}

func (s *Service) series(a asked, p point, names []string, times []time.Time) map[string][]any {
	m := map[string][]any{}
	for _, t := range times {
		if a.unix {
			m["time"] = append(m["time"], t.Unix())
		} else {
			m["time"] = append(m["time"], t.In(a.zone).Format("2006-01-02T15:04"))
		}
		for _, name := range slices.Sorted(slices.Values(names)) {
			m[name] = append(m[name], s.number(p, name, t.Unix(), 30))
		}
	}
	return m
}
