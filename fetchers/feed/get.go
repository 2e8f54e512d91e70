package feed

import (
	"context"
	"errors"
	"net/http"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 64 << 20

const accept = "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, " +
	"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5"

// get asks for one document. Statuses of 400 and above, challenge pages and
// empty bodies are errors; beside that of a body that broke off is what came.
func (f *Fetcher) get(ctx context.Context, address string, known answer.Validators) (answer.Answer, error) {
	a, err := answer.Get(ctx, f.client, answer.Ask{
		Verb: "get", What: "feed", Address: address, Header: http.Header{"Accept": {accept}}, Known: known, Most: maxBody,
	})
	if e := a.Refusal(); e != nil {
		e.Advice = adviceOn(e)
		return answer.Answer{}, e
	}
	if err != nil || a.NotModified || !a.Blank() {
		return a, err
	}
	return a, &harvest.Error{
		Kind: harvest.KindBroken, Op: "read feed", On: address, Err: errors.New("the response is empty"),
		Advice: "a feed without entries would still have its frame; open the address in a browser",
	}
}

const adviceBlocked = "the site does not want programs here: ask its owner, or look for another address of the feed"

// adviceOn a status is what a person can do about it.
func adviceOn(e *harvest.Error) string {
	switch {
	case e.Status == http.StatusGone:
		return "the source says the feed is gone for good: remove it, or give its new address"
	case e.Status == http.StatusNotFound:
		return "starter probe on the site's front page finds the feeds it names"
	case e.Kind == harvest.KindBlocked:
		return adviceBlocked
	default:
		return ""
	}
}
