package oaipmh

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/times"
)

// Params are the params of one repository, or of one of its sets.
type Params struct {
	URL         string `json:"url" address:"true" doc:"base URL of the repository, without ?verb=" required:"true" example:"https://repo.example.org/oai"`
	Prefix      string `json:"prefix" doc:"metadata format, one that ListMetadataFormats names" default:"oai_dc" example:"marcxml"`
	Set         string `json:"set" doc:"setSpec of the one set to harvest; split: {ask: sets} makes an item of each" example:"col_123"`
	Granularity string `json:"granularity" doc:"how dates are written; auto asks Identify, none does without selective harvesting: everything is listed each time" enum:"auto,day,second,none" default:"auto"`
	Overlap     string `json:"overlap" doc:"how far before the repository's clock at the last harvest the next one begins; at least one granule" default:"1d" example:"36h"`
	Window      string `json:"window" doc:"cut a long harvest into spans of this length, each a list of its own; auto cuts by month what the repository says is long, and any list that breaks" enum:"auto,none,year,month,week,day" default:"auto"`
	From        string `json:"from" doc:"harvest nothing that was changed before this date" example:"2020-01-01"`
	Until       string `json:"until" doc:"harvest nothing that was changed after this date" example:"2025-12-31"`
	MaxPages    int    `json:"max_pages" doc:"read at most so many responses in a run; the next run goes on there" default:"20000"`
	EncodeToken *bool  `json:"encode_token" doc:"percent-encode resumption tokens; false for repositories that do not decode them" default:"true"`
	Encoding    string `json:"encoding" doc:"the charset, where the repository is wrong about it" example:"iso-8859-15" extraction:"true"`
}

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	errs := []error{checkURL(p.URL)}
	if _, err := overlapOf(p.Overlap); err != nil {
		errs = append(errs, err)
	}
	for _, d := range []struct{ name, value string }{{"from", p.From}, {"until", p.Until}} {
		if _, ok := parseTime(d.value); d.value != "" && !ok {
			errs = append(errs, fmt.Errorf("%s %q: write a date like 2026-05-01, or 2026-05-01T10:00:00Z", d.name, d.value))
		}
	}
	from, _ := parseTime(p.From)
	if until, ok := parseTime(p.Until); ok && until.Before(from) {
		errs = append(errs, errors.New("until is before from"))
	}
	if p.MaxPages < 0 {
		errs = append(errs, errors.New("max_pages is a number above 0"))
	}
	if p.Encoding != "" && !charsets.Knows(p.Encoding) {
		errs = append(errs, errors.New("encoding "+p.Encoding+" is not known; one such as utf-8, windows-1252, iso-8859-15"))
	}
	return errors.Join(errs...)
}

// checkURL accepts what only the worker can resolve.
func checkURL(address string) error {
	if references.Has(address) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("url must be an address that starts with http:// or https://")
	}
	if u.Query().Has("verb") {
		return errors.New("url is the base URL: leave out ?verb= and what follows")
	}
	return nil
}

// overlapOf reads a duration that may be in days: 1d, 36h. "" is a day.
func overlapOf(text string) (time.Duration, error) {
	if text == "" {
		return 24 * time.Hour, nil
	}
	d, err := times.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("overlap %q: write a length of time like 1d or 36h", text)
	}
	return d, nil
}

// overlap is never less than one granule, and never nothing.
func (p Params) overlap(g granularity) time.Duration {
	d, _ := overlapOf(p.Overlap) // Validate has seen it
	if g == day {
		return max(d, 24*time.Hour)
	}
	return max(d, time.Second)
}

const (
	defaultPages = 20_000
	// maxRecords are read in a run, however many stand in a response.
	maxRecords = 5_000_000
)

func (p Params) maxPages() int64 { return int64(cmp.Or(p.MaxPages, defaultPages)) }

func (p Params) prefix() string {
	if p.Prefix == "" {
		return "oai_dc"
	}
	return p.Prefix
}

// step is the length of a window the params ask for; "" is none.
func (p Params) step() step {
	if p.Window == "auto" || p.Window == "none" || p.Granularity == string(never) {
		return ""
	}
	return step(p.Window)
}

// bounds are the outer limits the params set.
func (p Params) bounds() span {
	from, _ := parseTime(p.From)
	until, _ := parseTime(p.Until)
	if len(p.Until) == len(time.DateOnly) { // the whole of that day
		until = until.Add(24*time.Hour - time.Second)
	}
	return span{From: from, Until: until}
}
