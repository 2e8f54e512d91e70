package weather

import (
	"bytes"
	"encoding/json"
)

// location is what Open-Meteo says of one place.
type location struct {
	// ID is missing from the first place.
	ID           int      `json:"location_id"`
	Latitude     float64  `json:"latitude"`
	Longitude    float64  `json:"longitude"`
	Elevation    *float64 `json:"elevation"`
	UTCOffset    int64    `json:"utc_offset_seconds"`
	TimeZone     string   `json:"timezone"`
	Hourly       series   `json:"hourly"`
	HourlyUnits  units    `json:"hourly_units"`
	Daily        series   `json:"daily"`
	DailyUnits   units    `json:"daily_units"`
	Current      moment   `json:"current"`
	CurrentUnits units    `json:"current_units"`
}

// series are columns of equal length by variable, time among them.
type series map[string][]json.RawMessage

// moment is one value by variable, time and interval among them.
type moment map[string]json.RawMessage

// units are by variable; time and interval have one as well.
type units map[string]string

// UnmarshalJSON takes what is text: a unit that is none costs no value.
func (u *units) UnmarshalJSON(raw []byte) error {
	var all map[string]any
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	*u = units{}
	for name, v := range all {
		if text, ok := v.(string); ok {
			(*u)[name] = text
		}
	}
	return nil
}

// locations are a list, or the only one of them.
type locations []location

// UnmarshalJSON is part of json.Unmarshaler.
func (l *locations) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("[")) {
		return json.Unmarshal(raw, (*[]location)(l))
	}
	*l = make([]location, 1)
	return json.Unmarshal(raw, &(*l)[0])
}

// asSeries is the present as a series of one time.
func (m moment) asSeries() series {
	if m == nil {
		return nil
	}
	s := series{}
	for name, value := range m {
		if name != "interval" {
			s[name] = []json.RawMessage{value}
		}
	}
	return s
}
