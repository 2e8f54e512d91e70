// Package x acquires the posts of a user, or those that a search finds, by the API of
// X, version 2.
package x

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is what campaign files call this fetcher.
const Name = "x"

// Params are the params of one user or one search.
type Params struct {
	User    string   `json:"user" doc:"handle whose posts are read" example:"@Genova"`
	Channel string   `json:"channel" doc:"as user: its name in the system before"`
	Query   string   `json:"query" doc:"recent search instead: posts of the last seven days" example:"from:Genova meteo"`
	Exclude []string `json:"exclude" doc:"of a user: replies, retweets or both are left out"`
	Token   string   `json:"token" doc:"bearer token of the app, by reference" secret:"true" required:"true" example:"${secret:env:VENDEMMIA_SECRET_X}"`
	Backlog int      `json:"backlog" doc:"how many posts the first run reads back, up to 3200" default:"100"`
	Run     int      `json:"reads_per_run" doc:"how many posts and users one run may read" default:"500"`
	Month   int      `json:"reads_per_month" doc:"how many posts and users may be read in a calendar month (UTC)" default:"10000"`
	URL     string   `json:"url" address:"true" doc:"address of the API, for a copy of it" default:"https://api.x.com"`
}

// Fetcher acquires posts. It holds no state and may be used by many goroutines at
// once.
type Fetcher struct {
	client *http.Client
	now    func() time.Time
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client, now: time.Now} }

// formerName is what the system before called this fetcher. It had its token in the
// environment.
const formerName = "Twitter"

const formerToken = "${secret:env:VENDEMMIA_SECRET_X}" // a reference, no secret

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	implied, _ := json.Marshal(map[string]string{"token": formerToken}) // text only: it cannot fail
	return harvest.Description{
		Summary:  "reads the posts of a user of X, or of a search",
		Params:   Params{},
		Identity: []string{"user"},
		Aliases:  []string{formerName},
		Implied:  map[string]json.RawMessage{formerName: implied},
		Protocol: true,
	}
}
