package x

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// Probe is part of harvest.Prober: it knows pages of users and of searches. It asks
// nothing: the API answers nobody without a token, and takes money.
func (f *Fetcher) Probe(_ context.Context, address string) (harvest.Finding, error) {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"x.com", "twitter.com"}, strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), "mobile.")) {
		return harvest.Finding{Detail: "no page of X"}, nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	params := map[string]string{"token": formerToken}
	switch {
	case name == "search" && u.Query().Get("q") != "":
		params["query"] = u.Query().Get("q")
	case handles.MatchString(name) && !slices.Contains([]string{"i", "search", "home", "explore", "hashtag", "settings"}, strings.ToLower(name)):
		params["user"] = name
	default:
		return harvest.Finding{Sure: 30, Title: "X", Detail: "a page of X that names neither a user nor a search"}, nil
	}
	raw, _ := json.Marshal(params) // text only: it cannot fail
	return harvest.Finding{
		Sure: 90, Title: "X", Params: raw,
		Detail: "posts by the API: it needs a token, which the params refer to, and each post and user read is paid for",
	}, nil
}
