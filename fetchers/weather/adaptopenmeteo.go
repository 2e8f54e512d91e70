package weather

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// adapter turns the series of one place into documents.
type adapter struct {
	at Place
	of location
	report
}

// section is one of the three series an answer has.
type section struct {
	kind   string
	series series
	units  units
	asked  []string
}

func (p Params) adapt(at Place, of location) (report, error) {
	a := &adapter{at: at, of: of}
	for _, s := range []section{
		{kindCurrent, of.Current.asSeries(), of.CurrentUnits, p.Current},
		{kindHour, of.Hourly, of.HourlyUnits, p.hourly()},
		{kindDay, of.Daily, of.DailyUnits, p.Daily},
	} {
		if len(s.asked) > 0 {
			a.section(s)
		}
	}
	if len(a.documents)+len(a.rejects) == 0 {
		return report{}, harvest.Errorf(harvest.KindBroken, "read forecast", at.name(), "it has no values for what was asked")
	}
	return a.report, nil
}

// section reads one series. Where a column is longer or shorter than the times, no
// value can be told the hour it is for: all of it is set aside.
func (a *adapter) section(s section) {
	times := s.series["time"]
	for _, name := range sortedNames(s.series) {
		if len(s.series[name]) != len(times) {
			raw, _ := json.Marshal(s.series) // it was read from JSON
			a.rejects = append(a.rejects, reject(a.at, id(OpenMeteo, a.at, s.kind), raw, fmt.Sprintf("%s has %d values for %d times", name, len(s.series[name]), len(times))))
			return
		}
	}
	a.missing(s)
	seen := map[string]bool{}
	for i := range times {
		a.point(s, i, seen)
	}
}

// missing says which variables did not come. With several models their names follow
// the variable's.
func (a *adapter) missing(s section) {
	var absent []string
	for _, name := range s.asked {
		if !slices.ContainsFunc(sortedNames(s.series), func(n string) bool { return n == name || strings.HasPrefix(n, name+"_") }) {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		a.partial = true
		a.warnings = append(a.warnings, fmt.Sprintf("%s: no %s by %s", a.at.name(), strings.Join(absent, ", "), s.kind))
	}
}

// point makes one document; a time without any value is behind the model's end.
func (a *adapter) point(s section, i int, seen map[string]bool) {
	when, moment, err := a.stamp(s, i)
	fields := map[string]any{"grid": a.grid()}
	if s.kind == kindDay {
		fields["time_zone"] = a.of.TimeZone
	}
	if err == nil {
		err = fill(s, i, fields)
	}
	switch values, _ := fields["values"].(map[string]any); {
	case err != nil:
		raw, _ := json.Marshal(row(s.series, i)) // it was read from JSON
		name := id(OpenMeteo, a.at, s.kind)
		if when != "" {
			name += "/" + when
		}
		a.rejects = append(a.rejects, reject(a.at, name, raw, err.Error()))
	case len(values) == 0:
	case seen[when]:
		a.partial = true
		a.warnings = append(a.warnings, fmt.Sprintf("%s: %s appears twice; the first one is used", a.at.name(), when))
	default:
		seen[when] = true
		a.documents = append(a.documents, document(OpenMeteo, a.at, s.kind, when, moment, fields))
	}
}

// grid is the cell the values are of: not quite the place.
func (a *adapter) grid() map[string]any {
	g := map[string]any{"latitude": a.of.Latitude, "longitude": a.of.Longitude}
	if a.of.Elevation != nil {
		g["elevation"] = *a.of.Elevation
	}
	return g
}

// halfDay brings the beginning of a day into its middle: days begin an hour early
// or late where the offset of the answer is not that of the day.
const halfDay = 12 * time.Hour

// maxOffset is more than any time zone has, in seconds.
const maxOffset = 24 * 60 * 60

// stamp is the time of a point as ids have it, and as a moment. A day is the
// place's own.
func (a *adapter) stamp(s section, i int) (string, time.Time, error) {
	var seconds int64
	if err := json.Unmarshal(s.series["time"][i], &seconds); err != nil {
		return "", time.Time{}, fmt.Errorf("its time is not a number of seconds: %w", err)
	}
	moment, ok := times.Storable(time.Unix(seconds, 0))
	switch {
	case !ok || max(a.of.UTCOffset, -a.of.UTCOffset) > maxOffset:
		return "", moment, fmt.Errorf("its time is %d seconds, %d from UTC, which is not a date", seconds, a.of.UTCOffset)
	case s.kind == kindDay:
		return moment.Add(time.Duration(a.of.UTCOffset)*time.Second + halfDay).Format(time.DateOnly), moment, nil
	default:
		return hourStamp(moment), moment, nil
	}
}

// fill puts the values that there are into fields, with their units.
func fill(s section, i int, fields map[string]any) error {
	values, of := map[string]any{}, map[string]any{}
	for _, name := range sortedNames(s.series) {
		if name == "time" {
			continue
		}
		v, err := value(s.series[name][i])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if v != nil {
			values[name] = v
		}
		if u := s.units[name]; v != nil && u != "" {
			of[name] = u
		}
	}
	if fields["values"] = values; len(of) > 0 {
		fields["units"] = of
	}
	return nil
}

func row(s series, i int) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for name, column := range s {
		m[name] = column[i]
	}
	return m
}

func sortedNames(s series) []string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
