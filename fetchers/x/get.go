package x

import (
	"net/http"
	"net/url"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 16 << 20

// get asks one path of the API, and counts what came. An answer that has nothing but
// errors is an error itself, unless partly allows it.
func (r *reading) get(path string, q url.Values, partly bool) (reply, error) {
	var w reply
	address := r.params.base() + path
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	a, err := answer.Get(r.ctx, r.client, answer.Ask{
		Verb: "get", What: "posts", Address: address, Most: maxBody,
		Header: http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer " + r.params.Token}},
	})
	defer a.Release()
	if e := a.Refusal(); e != nil {
		return w, refused(e, &a, r.now())
	}
	if err != nil {
		return w, err
	}
	if err = a.JSON(&w); err != nil {
		return w, err
	}
	r.cp.Spent.add(len(w.list()) + len(w.Includes.Users))
	if partly {
		return w, nil
	}
	return w, w.empty(&a)
}
