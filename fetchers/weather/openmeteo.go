package weather

import (
	"bytes"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxWeight bounds one request: a sixth of what the free plan allows a minute.
const maxWeight = 100

// brokenStream begins what the service writes behind half an answer with status 200.
const brokenStream = "Unexpected error while streaming data"

// openMeteo asks for the next places, many in one request.
func (r *reading) openMeteo() ([]report, error) {
	places := r.batch()
	a, err := r.get(r.ctx, r.params.base()+"/v1/forecast", r.query(places), answer.Validators{})
	defer a.Release()
	if e := a.Refusal(); e != nil {
		return nil, refused(e, a.Body, r.now())
	}
	if err != nil {
		return nil, err
	}
	list, err := readLocations(&a, len(places))
	if err != nil {
		return nil, err
	}
	reports := make([]report, len(places))
	for i := range places {
		if reports[i], err = r.params.adapt(places[i], list[i]); err != nil {
			return reports[:i], err
		}
	}
	return reports, nil
}

// batch is how many of the next places go into one request. Those with an altitude
// and those without are asked for apart: the service takes one for each or none.
func (r *reading) batch() []Place {
	left := r.places[r.cp.At:]
	most := defaultBatch
	if r.params.Batch > 0 {
		most = r.params.Batch
	}
	n := 1
	for n < min(most, len(left)) && r.params.weight(n+1) <= maxWeight && (left[n].Altitude == nil) == (left[0].Altitude == nil) {
		n++
	}
	return left[:n]
}

// weight is what the service counts a request as.
func (p Params) weight(places int) float64 {
	vars := float64(len(p.hourly())+len(p.Daily)+len(p.Current)) * float64(max(1, len(p.Models)))
	days := float64(p.days() + p.PastDays)
	return float64(places) * max(1, vars/10, vars/10*days/14)
}

func (p Params) hourly() []string {
	if len(p.Hourly)+len(p.Daily)+len(p.Current) == 0 {
		return defaultHourly()
	}
	return p.Hourly
}

// query asks for moments as numbers: the service writes local times without their
// zone, of which one stands twice when the clocks go back.
func (r *reading) query(places []Place) url.Values {
	p := r.params
	q := url.Values{"timeformat": {"unixtime"}}
	for name, list := range map[string][]string{"hourly": p.hourly(), "daily": p.Daily, "current": p.Current, "models": p.Models} {
		set(q, name, strings.Join(list, ","))
	}
	set(q, "temperature_unit", p.TemperatureUnit)
	set(q, "wind_speed_unit", p.WindSpeedUnit)
	set(q, "precipitation_unit", p.PrecipitationUnit)
	set(q, "apikey", p.APIKey)
	set(q, "timezone", p.TimeZone)
	if len(p.Daily) > 0 && p.TimeZone == "" {
		q.Set("timezone", "auto")
	}
	r.span(q)
	for name, of := range map[string]func(Place) string{"latitude": Place.lat, "longitude": Place.lon, "elevation": Place.alt} {
		var list []string
		for _, at := range places {
			list = append(list, of(at))
		}
		set(q, name, strings.Trim(strings.Join(list, ","), ","))
	}
	return q
}

func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

// alt is the altitude in whole metres, "" where none is given.
func (p Place) alt() string {
	if p.Altitude == nil {
		return ""
	}
	return strconv.FormatFloat(math.Round(*p.Altitude), 'f', 0, 64)
}

// span asks for the days of a window that has two ends, else for those ahead.
func (r *reading) span(q url.Values) {
	if w := r.req.Window; !w.From.IsZero() && !w.Until.IsZero() {
		q.Set("start_date", w.From.UTC().Format(time.DateOnly))
		q.Set("end_date", w.Until.UTC().Format(time.DateOnly))
		return
	}
	q.Set("forecast_days", strconv.Itoa(r.params.days()))
	if r.params.PastDays > 0 {
		q.Set("past_days", strconv.Itoa(r.params.PastDays))
	}
}

// readLocations decodes an answer for so many places: an object for one, a list for
// several.
func readLocations(a *answer.Answer, want int) ([]location, error) {
	if i := bytes.Index(a.Body, []byte(brokenStream)); i >= 0 {
		e := broken(a, "%.200s", a.Body[i:])
		e.Kind = harvest.KindServerError
		return nil, e
	}
	var list locations
	if err := a.JSON(&list); err != nil {
		return nil, err
	}
	if len(list) != want {
		return nil, broken(a, "%d places were asked for and %d answered", want, len(list))
	}
	for i, l := range list {
		if l.ID != i {
			return nil, broken(a, "place %d came where place %d was due", l.ID, i)
		}
	}
	return list, nil
}
