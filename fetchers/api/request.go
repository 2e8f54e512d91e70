package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 64 << 20

// ask asks for the page of the walk.
func (r *reading) ask(known answer.Validators) (answer.Answer, error) {
	a, err := r.askOnce(known)
	if e := a.Refusal(); e != nil {
		return a, r.refused(e, &a)
	}
	return a, err
}

func (r *reading) askOnce(known answer.Validators) (a answer.Answer, err error) {
	header := r.header()
	address, body, err := r.request()
	if err != nil {
		return a, err
	}
	method := r.plan.Method
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	return answer.Get(r.ctx, r.client, answer.Ask{
		Verb: "get", What: "records", Method: method, Address: address, Send: body, Header: header, Known: known, Most: maxBody,
	})
}

func (r *reading) header() http.Header {
	h := http.Header{"Accept": {"application/" + map[bool]string{true: "xml", false: "json"}[r.plan.Format == "xml"]}}
	for name, value := range r.plan.Headers {
		h.Set(name, value)
	}
	return h
}

// request is the address of the page of the walk, and the body that asks for it.
func (r *reading) request() (string, []byte, error) {
	at := r.walk.At
	base := r.plan.URL
	if at.URL != "" {
		base = at.URL
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", nil, harvest.Errorf(harvest.KindMisconfigured, "get", base, "it is not an address")
	}
	q := u.Query()
	for name, value := range r.plan.Query {
		if v, ok := r.fill(textOf(value)); ok && (at.URL == "" || !q.Has(name)) {
			q.Set(name, v)
		}
	}
	send := r.paging()
	if at.URL == "" {
		for name, value := range r.span() {
			q.Set(name, value)
		}
	}
	body, err := r.body(send)
	if body == nil {
		for name, value := range send {
			q.Set(name, textOf(value))
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), body, err
}

// span are the parameters for what is new, or in a window.
func (r *reading) span() map[string]string {
	out := map[string]string{}
	inc := r.plan.Incremental
	if inc == nil {
		return out
	}
	if inc.StartParam != "" && r.walk.Start != "" {
		out[inc.StartParam] = r.walk.Start
	}
	if end := r.endValue(); inc.EndParam != "" && end != "" {
		out[inc.EndParam] = end
	}
	return out
}

// paging are the parameters that name a page.
func (r *reading) paging() map[string]any {
	p, at, out := r.plan.Paginator, r.walk.At, map[string]any{}
	if p.Limit > 0 && at.URL == "" {
		out[or(p.LimitParam, "limit")] = p.Limit
	}
	switch {
	case p.Type == byCursor && at.Cursor != "":
		out[or(p.CursorParam, "cursor")] = at.Cursor
	case p.Type == byPage:
		out[or(p.PageParam, "page")] = at.N
	case p.Type == byOffset:
		out[or(p.OffsetParam, "offset")] = at.N
	}
	for name, v := range out {
		if n, ok := v.(int); ok {
			out[name] = int64(n)
		}
	}
	return out
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// body is that of a POST: what the file says, and the page; nil for a GET.
func (r *reading) body(page map[string]any) ([]byte, error) {
	if r.plan.Method != http.MethodPost || r.walk.At.URL != "" && r.plan.Body == nil {
		return nil, nil
	}
	out := map[string]any{}
	for name, v := range r.plan.Body {
		if v, ok := r.fillAll(v); ok {
			out[name] = v
		}
	}
	for name, v := range page {
		out[name] = v
	}
	return json.Marshal(out)
}

// fill puts values into a text; ok is false where it wants one that is not known.
func (r *reading) fill(text string) (_ string, ok bool) {
	for holder, value := range map[string]string{startHolder: r.walk.Start, endHolder: r.endValue()} {
		if strings.Contains(text, holder) && value == "" {
			return "", false
		}
		text = strings.ReplaceAll(text, holder, value)
	}
	return text, true
}

// fillAll is fill for a value of any kind; what wants an unknown value is left out.
func (r *reading) fillAll(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return r.fill(v)
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if m, ok := r.fillAll(member); ok {
				out[name] = m
			}
		}
		return out, true
	case []any:
		out := []any{}
		for _, member := range v {
			if m, ok := r.fillAll(member); ok {
				out = append(out, m)
			}
		}
		return out, true
	}
	return v, true
}
