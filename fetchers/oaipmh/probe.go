package oaipmh

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// Probe is harvest.Prober: Identify, ListMetadataFormats, ListSets. Something
// else at the address is a Finding that is not sure at all.
func (f *Fetcher) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	a := &asking{Fetcher: f, ctx: ctx, params: Params{URL: baseURL(address)}}
	ans, err := a.ask("verb=Identify")
	if harvest.KindOf(err) == harvest.KindBroken && ctx.Err() == nil {
		return harvest.Finding{Detail: "no answer of OAI-PMH"}, nil
	}
	if err != nil {
		return harvest.Finding{}, err
	}
	if ans.Verb != "Identify" {
		return harvest.Finding{Sure: 50, Detail: "it speaks OAI-PMH, but does not identify itself"}, nil
	}
	about, compressed := ans.About, strings.Join(ans.About.Compression, " ")
	formats := a.formats()
	sets := a.countSets()
	finding := harvest.Finding{
		Sure: 100, Title: about.Name,
		Detail: strings.Join([]string{"OAI-PMH " + about.Protocol, "records since " + about.Earliest, "sets: " + sets, "formats: " + strings.Join(formats, " ")}, " · "),
		Facts: []harvest.Fact{
			{Name: "name", Value: about.Name},
			{Name: "granularity", Value: about.Granularity},
			{Name: "deleted", Value: about.Deleted},
			{Name: "earliest", Value: about.Earliest},
			{Name: "formats", Value: strings.Join(formats, " ")},
			{Name: "sets", Value: sets},
			{Name: "compression", Value: compressed},
			{Name: "protocol", Value: about.Protocol},
		},
	}
	finding.Params, _ = json.Marshal(map[string]string{"url": a.params.URL, "prefix": choose(formats)}) // text only: it cannot fail
	return finding, nil
}

// baseURL takes the request off an address somebody copied from a browser.
func baseURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return address
	}
	q := u.Query()
	if !q.Has("verb") {
		return address
	}
	for _, name := range []string{"verb", "metadataPrefix", "set", "from", "until", "resumptionToken", "identifier"} {
		q.Del(name)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func choose(formats []string) string {
	for _, f := range formats {
		if f == "oai_dc" {
			return f
		}
	}
	if len(formats) > 0 {
		return formats[0]
	}
	return "oai_dc"
}

// countSets says how many sets there are: a number, "none", a number and "+"
// when there are more than one response of them, "unknown".
func (a *asking) countSets() string {
	ans, err := a.ask("verb=ListSets")
	switch {
	case err != nil:
		return "unknown"
	case ans.Token.Size > int64(len(ans.Sets)):
		return strconv.FormatInt(ans.Token.Size, 10)
	case len(ans.Sets) == 0:
		return "none"
	case ans.Token.Value != "":
		return strconv.Itoa(len(ans.Sets)) + "+"
	}
	return strconv.Itoa(len(ans.Sets))
}
