// Package weather acquires the forecasts of Open-Meteo and of MET Norway for
// places: one document for each place and time.
package weather

import (
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is what campaign files call this fetcher.
const Name = "weather"

// The services.
const (
	OpenMeteo = "open-meteo"
	METNorway = "met-norway"
)

// Params are the params of one item: a service and the places to ask it for.
type Params struct {
	Service   string   `json:"service" doc:"who is asked" default:"open-meteo" enum:"open-meteo,met-norway"`
	Place     string   `json:"place" doc:"name of the place at latitude and longitude; part of the ids" example:"Genova"`
	Latitude  *float64 `json:"latitude" doc:"degrees north of the place" example:"44.41"`
	Longitude *float64 `json:"longitude" doc:"degrees east of the place" example:"8.93"`
	Altitude  *float64 `json:"altitude" doc:"metres above the sea; absent: the service's own map" example:"20"`
	Places    []Place  `json:"places" doc:"several places instead of one: name, latitude, longitude, altitude of each"`

	Hourly   []string `json:"hourly" doc:"open-meteo: variables for each hour; without hourly, daily and current: temperature_2m, relative_humidity_2m, precipitation, weather_code and wind_speed_10m" extraction:"true"`
	Daily    []string `json:"daily" doc:"open-meteo: variables for each day" extraction:"true"`
	Current  []string `json:"current" doc:"open-meteo: variables for the present" extraction:"true"`
	Days     int      `json:"days" doc:"open-meteo: how many days ahead, 1 to 16, today included" default:"7"`
	PastDays int      `json:"past_days" doc:"open-meteo: how many days back, 0 to 92" default:"0"`
	Models   []string `json:"models" doc:"open-meteo: weather models; absent: the best for each place" extraction:"true"`
	TimeZone string   `json:"time_zone" doc:"open-meteo: where days begin, such as Europe/Rome; auto is each place's own" default:"auto"`

	TemperatureUnit   string `json:"temperature_unit" doc:"open-meteo: unit of temperatures" default:"celsius" enum:"celsius,fahrenheit" extraction:"true"`
	WindSpeedUnit     string `json:"wind_speed_unit" doc:"open-meteo: unit of wind speeds" default:"kmh" enum:"kmh,ms,mph,kn" extraction:"true"`
	PrecipitationUnit string `json:"precipitation_unit" doc:"open-meteo: unit of rain and snow" default:"mm" enum:"mm,inch" extraction:"true"`

	Product string `json:"product" doc:"met-norway: compact or complete" default:"compact" enum:"compact,complete" extraction:"true"`
	Batch   int    `json:"batch" doc:"open-meteo: how many places one request asks for at most, up to 400" default:"100"`
	APIKey  string `json:"api_key" doc:"open-meteo: key of a paid plan, by reference" secret:"true"`
	URL     string `json:"url" address:"true" doc:"address of the service, for a copy of it" example:"https://api.open-meteo.com"`
}

// Place is a point on the map with a name.
type Place struct {
	Name      string   `json:"name"`
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Altitude  *float64 `json:"altitude"`
}

// Fetcher acquires forecasts. It holds no state and may be used by many
// goroutines at once.
type Fetcher struct {
	client *http.Client
	now    func() time.Time
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client, now: time.Now} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	return harvest.Description{
		Summary:  "reads forecasts of Open-Meteo or MET Norway for places",
		Params:   Params{},
		Identity: []string{"place", "service"},
		Protocol: true,
		Retired: map[string]string{
			"WU":      "the free service of Weather Underground has ended: use weather with latitude and longitude",
			"Netatmo": "there is no fetcher for single stations: use weather with the latitude and longitude of a place in the box",
		},
	}
}
