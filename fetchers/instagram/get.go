package instagram

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// Caps of our own, for clients that have none.
const (
	maxBody  = 16 << 20
	maxMedia = 64 << 20
)

// get asks one path of the API.
func (r *reading) get(path string, q url.Values, into any) error {
	q.Set("access_token", r.params.Token)
	address := r.params.base() + "/" + r.params.version() + "/" + path
	a, err := answer.Get(r.ctx, r.client, answer.Ask{
		Verb: "get", What: "posts", Address: address + "?" + q.Encode(), Most: maxBody, Header: http.Header{"Accept": {"application/json"}},
	})
	defer a.Release()
	if e := a.Refusal(); e != nil {
		return refused(e, &a)
	}
	if err != nil {
		return err
	}
	r.usage = used(a.Header)
	var f fault
	if json.Unmarshal(a.Body, &f) == nil && f.Error != nil {
		return refused(harvest.Errorf(harvest.KindBroken, "read posts", address, "the answer is an error"), &a)
	}
	return a.JSON(into)
}

// file fetches what a post shows: at once, for its address expires.
func (r *reading) file(address string) (body []byte, mediaType string, err error) {
	a, err := answer.Get(r.ctx, r.client, answer.Ask{Verb: "get", What: "file", Address: address, Most: maxMedia})
	if e := a.Refusal(); e != nil {
		err = e
	}
	if err != nil {
		a.Release()
		return nil, "", err
	}
	defer a.Release()
	return append([]byte(nil), a.Body...), a.ContentType(), nil
}
