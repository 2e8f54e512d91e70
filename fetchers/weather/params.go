package weather

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// Bounds of an item: a checkpoint keeps something of each place.
const (
	maxPlaces    = 400
	maxMETPlaces = 100
	maxName      = 100
	maxDays      = 16
	maxPastDays  = 92
	maxBatch     = 400

	defaultDays  = 7
	defaultBatch = 100
)

func defaultHourly() []string {
	return []string{"temperature_2m", "relative_humidity_2m", "precipitation", "weather_code", "wind_speed_10m"}
}

// UnmarshalJSON refuses members that a place does not have.
func (p *Place) UnmarshalJSON(raw []byte) error {
	type plain Place
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(p)); err != nil {
		return fmt.Errorf("places: each has name, latitude, longitude and altitude: %w", err)
	}
	return nil
}

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	for _, check := range []func() error{p.checkPlaces, p.checkRange, p.checkService, p.checkURL} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (p Params) checkPlaces() error {
	alone := p.Place != "" || p.Latitude != nil || p.Longitude != nil || p.Altitude != nil
	most := maxPlaces
	if p.service() == METNorway {
		most = maxMETPlaces
	}
	switch {
	case alone && len(p.Places) > 0:
		return errors.New("places are given beside place, latitude or longitude: one way is enough")
	case !alone && len(p.Places) == 0:
		return errors.New("latitude and longitude are needed, or places")
	case len(p.Places) > most:
		return fmt.Errorf("%d places; %s takes at most %d in one item, more can be split", len(p.Places), p.service(), most)
	}
	seen := map[string]bool{}
	for _, at := range p.places() {
		if err := at.check(); err != nil {
			return err
		}
		if seen[at.name()] {
			return fmt.Errorf("two places are called %s: ids need distinct names", at.name())
		}
		seen[at.name()] = true
	}
	return nil
}

func (p Place) check() error {
	switch {
	case p.Latitude == nil || p.Longitude == nil:
		return fmt.Errorf("place %s: latitude and longitude are needed", cmp.Or(p.Name, "without a name"))
	case math.Abs(*p.Latitude) > 90:
		return errors.New("latitude must be from -90 to 90")
	case math.Abs(*p.Longitude) > 180:
		return errors.New("longitude must be from -180 to 180")
	case len(p.Name) > maxName || strings.Contains(p.Name, "/"):
		return fmt.Errorf("the name of a place has at most %d bytes and no slash", maxName)
	}
	return nil
}

func (p Params) checkRange() error {
	switch {
	case p.Days < 0 || p.Days > maxDays:
		return fmt.Errorf("days must be from 1 to %d", maxDays)
	case p.PastDays < 0 || p.PastDays > maxPastDays:
		return fmt.Errorf("past_days must be from 0 to %d", maxPastDays)
	case p.Batch < 0 || p.Batch > maxBatch:
		return fmt.Errorf("batch must be from 1 to %d", maxBatch)
	}
	return nil
}

// checkService refuses params of the other service, which would do nothing.
func (p Params) checkService() error {
	given := map[string]bool{
		"hourly": len(p.Hourly) > 0, "daily": len(p.Daily) > 0, "current": len(p.Current) > 0, "models": len(p.Models) > 0, "days": p.Days != 0,
		"past_days": p.PastDays != 0, "time_zone": p.TimeZone != "", "temperature_unit": p.TemperatureUnit != "",
		"wind_speed_unit": p.WindSpeedUnit != "", "precipitation_unit": p.PrecipitationUnit != "", "batch": p.Batch != 0, "api_key": p.APIKey != "",
	}
	if p.service() == OpenMeteo {
		given = map[string]bool{"product": p.Product != ""}
	}
	for _, f := range paramspec.Fields(p) {
		if given[f.Name] {
			return fmt.Errorf("%s means nothing to %s", f.Name, p.service())
		}
	}
	return nil
}

func (p Params) checkURL() error {
	if u, err := url.Parse(p.base()); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return errors.New("url must be an address that starts with http:// or https:// and has no query")
	}
	return nil
}

func (p Params) service() string { return cmp.Or(p.Service, OpenMeteo) }

func (p Params) days() int { return cmp.Or(p.Days, defaultDays) }

func (p Params) base() string {
	home := map[string]string{OpenMeteo: "https://api.open-meteo.com", METNorway: "https://api.met.no"}[p.service()]
	if p.service() == OpenMeteo && p.APIKey != "" {
		home = "https://customer-api.open-meteo.com"
	}
	return strings.TrimSuffix(cmp.Or(p.URL, home), "/")
}

// places are what is asked for, in the order of the file.
func (p Params) places() []Place {
	if len(p.Places) > 0 {
		return p.Places
	}
	return []Place{{Name: p.Place, Latitude: p.Latitude, Longitude: p.Longitude, Altitude: p.Altitude}}
}

// name is the place's own, else its coordinates.
func (p Place) name() string { return cmp.Or(p.Name, p.lat()+","+p.lon()) }

// lat and lon have the four decimals that MET Norway allows: eleven metres.
func (p Place) lat() string { return strconv.FormatFloat(*p.Latitude, 'f', 4, 64) }
func (p Place) lon() string { return strconv.FormatFloat(*p.Longitude, 'f', 4, 64) }

// made is what decides what a checkpoint knows.
func (p Params) made() (string, error) {
	p.APIKey, p.Batch = "", 0
	return harvest.Fingerprint(p)
}
