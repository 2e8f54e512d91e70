package gazzetta

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

const host = "gazzettaufficiale.it"

// Probe is part of harvest.Prober: it knows an address of the gazette, or of a
// copy with the gazette's paths, and asks for the list of the series that it
// names; the Serie Generale where it names none. Other addresses are not asked.
func (f *Fetcher) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	u, err := url.Parse(address)
	if err != nil || !official(u) && !likeOurs(u) {
		return harvest.Finding{Detail: "no address of the Gazzetta Ufficiale"}, nil
	}
	p := map[string]string{"series": namedIn(u).slug}
	if !official(u) {
		p["url"] = u.Scheme + "://" + u.Host
	}
	keys, err := listOf(ctx, f.client, namedIn(u), p["url"])
	switch kind := harvest.KindOf(err); {
	case err == nil:
		return tell(namedIn(u), keys, p), nil
	case !official(u) && (kind == harvest.KindBroken || kind == harvest.KindGone):
		return harvest.Finding{Detail: "paths like those of the Gazzetta Ufficiale, and no list of its issues"}, nil
	default:
		return harvest.Finding{}, err
	}
}

func official(u *url.URL) bool {
	name := strings.ToLower(u.Hostname())
	return name == host || strings.HasSuffix(name, "."+host)
}

// likeOurs reports a path of the gazette's on another host.
func likeOurs(u *url.URL) bool {
	parts := strings.Split(u.Path, "/")
	return len(parts) > 2 && (slices.Contains([]string{"30giorni", "ricercaArchivioCompleto"}, parts[1]) || parts[1] == "eli" && (parts[2] == "gu" || parts[2] == "id"))
}

// namedIn finds the series that an address is of.
func namedIn(u *url.URL) serie {
	for _, s := range allSeries() {
		if s.inPath(&url.URL{Path: u.Path + "/"}) || s.inELI(u) {
			return s
		}
	}
	return allSeries()[0]
}

func listOf(ctx context.Context, client *http.Client, s serie, base string) ([]key, error) {
	at, err := newSite(Params{URL: base}.base(), client)
	if err != nil {
		return nil, err
	}
	return (&reading{ctx: ctx, serie: s, site: at}).list()
}

// tell names the other series too: a campaign is of one.
func tell(s serie, keys []key, params map[string]string) harvest.Finding {
	var others []string
	for _, o := range allSeries() {
		if o != s {
			others = append(others, o.slug)
		}
	}
	raw, _ := json.Marshal(params) // text only: it cannot fail
	newest := keys[len(keys)-1].Day
	return harvest.Finding{
		Sure: 100, Title: "Gazzetta Ufficiale, " + s.title, Params: raw,
		Detail: fmt.Sprintf("%d issues in the last thirty days, the last of %s; other series: %s", len(keys), newest, strings.Join(others, " ")),
		Facts:  []harvest.Fact{{Name: "issues", Value: strconv.Itoa(len(keys))}, {Name: "newest", Value: newest}},
	}
}
