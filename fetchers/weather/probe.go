package weather

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// Probe is part of harvest.Prober: it knows addresses of the two services, or of
// copies with their paths, and asks for a forecast of the place that one names.
// Other addresses are not asked.
func (f *Fetcher) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	p, ok := named(address)
	if !ok {
		return harvest.Finding{Detail: "no address of a weather service"}, nil
	}
	if p.Latitude == nil || p.Longitude == nil {
		return harvest.Finding{Sure: 60, Title: title(p), Detail: "a weather service; the address names no place"}, nil
	}
	of, err := f.sample(ctx, p)
	switch kind := harvest.KindOf(err); {
	case kind == harvest.KindBroken || kind == harvest.KindGone:
		return harvest.Finding{Detail: "a path like that of a weather service, and no forecast"}, nil
	case err != nil:
		return harvest.Finding{}, err
	}
	raw, _ := json.Marshal(bare(p)) // text and numbers only: it cannot fail
	return harvest.Finding{
		Sure: 100, Title: title(p), Params: raw, Detail: fmt.Sprintf("a forecast of %d times", len(of)),
		Facts: []harvest.Fact{{Name: "service", Value: p.service()}, {Name: "times", Value: strconv.Itoa(len(of))}},
	}, nil
}

func title(p Params) string {
	return map[string]string{OpenMeteo: "Open-Meteo", METNorway: "MET Norway"}[p.service()]
}

// named reads service and place off an address.
func named(address string) (Params, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Params{}, false
	}
	q, p := u.Query(), Params{}
	official := map[string]string{"api.open-meteo.com": OpenMeteo, "api.met.no": METNorway}[strings.ToLower(u.Hostname())]
	switch {
	case strings.HasSuffix(u.Path, "/v1/forecast"):
		p.Service, p.Latitude, p.Longitude = OpenMeteo, degrees(q.Get("latitude")), degrees(q.Get("longitude"))
	case strings.Contains(u.Path, "/locationforecast/2.0/"):
		p.Service, p.Latitude, p.Longitude = METNorway, degrees(q.Get("lat")), degrees(q.Get("lon"))
	case official != "":
		p.Service = official
	default:
		return p, false
	}
	if official == "" {
		p.URL = u.Scheme + "://" + u.Host
	}
	return p, true
}

func degrees(text string) *float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &v
}

// sample is the forecast that the params ask for.
func (f *Fetcher) sample(ctx context.Context, p Params) (docs []harvest.Document, err error) {
	raw, err := json.Marshal(bare(p))
	if err != nil { // degrees may be infinite in an address
		return nil, harvest.Errorf(harvest.KindBroken, "probe", p.base(), "it names no place")
	}
	for page, err := range f.Fetch(ctx, harvest.Request{Params: raw}) {
		if err != nil {
			return docs, err
		}
		docs = append(docs, page.Documents...)
	}
	return docs, nil
}

// bare are the params that are set.
func bare(p Params) map[string]any {
	m := map[string]any{"service": p.service(), "latitude": p.Latitude, "longitude": p.Longitude}
	if p.URL != "" {
		m["url"] = p.URL
	}
	return m
}
