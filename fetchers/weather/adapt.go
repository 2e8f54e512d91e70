package weather

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// The kinds of documents.
const (
	kindHour    = "hour"
	kindDay     = "day"
	kindCurrent = "current"
)

// document is one place and time; when is the time as it stands in ids.
func document(service string, at Place, kind, when string, moment time.Time, fields map[string]any) harvest.Document {
	fields["service"], fields["place"], fields["time"] = service, at.name(), when
	fields["latitude"], fields["longitude"] = *at.Latitude, *at.Longitude
	return harvest.Document{
		ID: id(service, at, kind) + "/" + when, Kind: kind, Title: at.name() + ", " + when, Published: moment, Fields: fields,
	}
}

func id(service string, at Place, kind string) string {
	return service + "/" + at.name() + "/" + kind
}

// hourStamp is a moment as it stands in ids: to the minute, in UTC.
func hourStamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }

// value is a number, a text or a truth; nil where the source has none.
func value(raw json.RawMessage) (any, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("%.60s cannot be read: %w", raw, err)
	}
	switch v.(type) {
	case nil, float64, string, bool:
		return v, nil
	default:
		return nil, errors.New("it is neither number nor text")
	}
}
