package instagram

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// Probe is part of harvest.Prober: it knows pages of accounts and of hashtags. It asks
// nothing: the API answers nobody without a token.
func (f *Fetcher) Probe(_ context.Context, address string) (harvest.Finding, error) {
	u, err := url.Parse(address)
	if err != nil || strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") != "instagram.com" {
		return harvest.Finding{Detail: "no page of Instagram"}, nil
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	params := map[string]string{"token": formerToken, "user": "0"}
	switch {
	case len(parts) >= 3 && parts[0] == "explore" && parts[1] == "tags":
		params["hashtag"] = parts[2]
	case handles.MatchString(parts[0]) && !slices.Contains([]string{"p", "reel", "reels", "explore", "stories", "accounts", "direct", "tv"}, parts[0]):
		params["account"] = parts[0]
	default:
		return harvest.Finding{Sure: 30, Title: "Instagram", Detail: "a page of Instagram that names neither an account nor a hashtag"}, nil
	}
	raw, _ := json.Marshal(params) // text only: it cannot fail
	return harvest.Finding{Sure: 90, Title: "Instagram", Params: raw, Detail: "posts by the Graph API: user is the number of your own professional account, and it needs a token"}, nil
}
