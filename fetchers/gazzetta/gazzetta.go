// Package gazzetta acquires the issues of one series of the Gazzetta Ufficiale
// della Repubblica Italiana with their acts and articles; the README beside
// this file says what it yields.
package gazzetta

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is what campaign files call this fetcher.
const Name = "gazzetta"

const (
	defaultURL = "https://www.gazzettaufficiale.it"
	// defaultRevisit is told in the tag of Params.
	defaultRevisit = 2
	maxRevisit     = 30
)

// Params are the params of one series.
type Params struct {
	Series  string `json:"series" doc:"which series; the short forms are the site's own" required:"true" enum:"serie_generale,corte_costituzionale,unione_europea,regioni,concorsi,contratti,parte_seconda,SG,S1,S2,S3,S4,S5,P2" example:"serie_generale"`
	From    string `json:"from" doc:"the first run walks the archive from this day on; without it, it reads the list of the last 30 days" example:"2020-01-01"`
	Until   string `json:"until" doc:"only issues before this day" example:"2026-01-01"`
	PDF     bool   `json:"pdf" doc:"store the PDF of each issue and supplement too (an act of unione_europea is a PDF anyway)" default:"false"`
	Revisit *int   `json:"revisit" doc:"read the last so many days with an issue again in each run, for corrections; 0 is none" default:"2" example:"5"`
	URL     string `json:"url" address:"true" doc:"address of the site, for a copy of it" default:"https://www.gazzettaufficiale.it"`
}

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	from, err := checkDay("from", p.From)
	until, err2 := checkDay("until", p.Until)
	switch {
	case errors.Join(err, err2) != nil:
		return errors.Join(err, err2)
	case p.From != "" && p.Until != "" && !from.Before(until):
		return errors.New("from must be before until")
	case p.Revisit != nil && (*p.Revisit < 0 || *p.Revisit > maxRevisit):
		return fmt.Errorf("revisit must be from 0 to %d", maxRevisit)
	}
	if u, err := url.Parse(p.base()); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("url must be an address that starts with http:// or https://")
	}
	return nil
}

func checkDay(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, fmt.Errorf("%s must be a day such as 2026-05-03", name)
	}
	return t, nil
}

func (p Params) base() string {
	if p.URL == "" {
		return defaultURL
	}
	return p.URL
}

func (p Params) revisit() int {
	if p.Revisit == nil {
		return defaultRevisit
	}
	return *p.Revisit
}

// Fetcher acquires the gazette. It holds no state and may be used by many
// goroutines at once.
type Fetcher struct {
	client *http.Client
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	d := harvest.Description{
		Summary:  "reads the issues, acts and articles of a series of the Gazzetta Ufficiale",
		Params:   Params{},
		Identity: []string{"series"},
		Implied:  map[string]json.RawMessage{},
	}
	for _, old := range formerNames() {
		d.Aliases = append(d.Aliases, old.name)
		d.Implied[old.name], _ = json.Marshal(map[string]string{"series": old.series}) // text only: it cannot fail
	}
	return d
}

// Resume is part of harvest.Resumer: "from" is the first day to be read.
func (f *Fetcher) Resume(req harvest.Request, position map[string]string) (json.RawMessage, error) {
	p, err := harvest.DecodeParams[Params](req.Params)
	if err != nil {
		return nil, err
	}
	from, err := time.Parse(time.DateOnly, position["from"])
	if err != nil || len(position) != 1 {
		e := harvest.Errorf(harvest.KindMisconfigured, "make checkpoint", "position", "from must be a day such as 2026-05-03, and nothing else is known")
		return nil, e
	}
	made, err := p.made()
	return checkpoint{Made: made, Through: dayBefore(from)}.raw(), err
}
