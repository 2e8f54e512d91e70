package weather

import (
	"context"
	"net/http"
	"net/url"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 64 << 20

// get asks one address of a service. What its status means is not judged.
func (f *Fetcher) get(ctx context.Context, address string, q url.Values, when answer.Validators) (answer.Answer, error) {
	return answer.Get(ctx, f.client, answer.Ask{
		Verb: "get", What: "forecast", Address: address + "?" + q.Encode(), Header: http.Header{"Accept": {"application/json"}}, Known: when, Most: maxBody,
	})
}
