package weather

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// metForecast is a locationforecast of MET Norway: GeoJSON.
type metForecast struct {
	Type     string `json:"type"`
	Geometry struct {
		Coordinates []float64 `json:"coordinates"`
	} `json:"geometry"`
	Properties struct {
		Meta struct {
			Units units `json:"units"`
		} `json:"meta"`
		Times []json.RawMessage `json:"timeseries"`
	} `json:"properties"`
}

// metTime is one time of it; the periods that begin there are missing at its end.
type metTime struct {
	Time string `json:"time"`
	Data struct {
		Instant *metPeriod `json:"instant"`
		Next1   *metPeriod `json:"next_1_hours"`
		Next6   *metPeriod `json:"next_6_hours"`
		Next12  *metPeriod `json:"next_12_hours"`
	} `json:"data"`
}

type metPeriod struct {
	Summary map[string]json.RawMessage `json:"summary"`
	Details map[string]json.RawMessage `json:"details"`
}

func (w *metForecast) adapt(at Place) (of report) {
	seen := map[string]bool{}
	for _, raw := range w.Properties.Times {
		when, moment, fields, err := w.time(raw)
		switch {
		case err != nil:
			name := ""
			if when != "" {
				name = id(METNorway, at, kindHour) + "/" + when
			}
			of.rejects = append(of.rejects, reject(at, name, raw, err.Error()))
		case seen[when]:
			of.partial = true
			of.warnings = append(of.warnings, fmt.Sprintf("%s: %s appears twice; the first one is used", at.name(), when))
		default:
			seen[when] = true
			of.documents = append(of.documents, document(METNorway, at, kindHour, when, moment, fields))
		}
	}
	return of
}

// time reads one time; when is its part of the id, where that can be read.
func (w *metForecast) time(raw json.RawMessage) (when string, moment time.Time, fields map[string]any, err error) {
	var t metTime
	if err = json.Unmarshal(raw, &t); err != nil {
		return "", moment, nil, errors.New("it is not as times are")
	}
	parsed, err := time.Parse(time.RFC3339, t.Time)
	moment, ok := times.Storable(parsed)
	if err != nil || !ok {
		return "", moment, nil, fmt.Errorf("its time %.40q is not a date", t.Time)
	}
	fields, err = w.fields(&t)
	return hourStamp(moment), moment, fields, err
}

func (w *metForecast) fields(t *metTime) (map[string]any, error) {
	fields := map[string]any{}
	if t.Data.Instant == nil {
		return nil, errors.New("it has no values for the instant")
	}
	for name, p := range map[string]*metPeriod{"values": t.Data.Instant, "next_1_hours": t.Data.Next1, "next_6_hours": t.Data.Next6, "next_12_hours": t.Data.Next12} {
		values, err := p.values()
		if err != nil {
			return nil, err
		}
		if len(values) > 0 {
			fields[name] = values
		}
	}
	if len(w.Properties.Meta.Units) > 0 {
		fields["units"] = anyOf(w.Properties.Meta.Units)
	}
	if c := w.Geometry.Coordinates; len(c) > 2 {
		fields["elevation"] = c[2]
	}
	return fields, nil
}

// values are details and summary as one map; a period that is not there has none.
func (p *metPeriod) values() (map[string]any, error) {
	if p == nil {
		return nil, nil
	}
	all := map[string]any{}
	for _, part := range []map[string]json.RawMessage{p.Details, p.Summary} {
		for name, raw := range part {
			v, err := value(raw)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if v != nil {
				all[name] = v
			}
		}
	}
	return all, nil
}

func anyOf(m units) map[string]any {
	out := make(map[string]any, len(m))
	for name, v := range m {
		out[name] = v
	}
	return out
}
