package fetchertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
)

const perPage, pages = 3, 4

// numbers is the source: a page of JSON per ?page=N, with an ETag.
func numbers(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if w.Header().Set("ETag", `"v1"`); r.Header.Get("If-None-Match") == `"v1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	list := listing{More: page < pages-1}
	for i := range perPage {
		list.IDs = append(list.IDs, fmt.Sprintf("è %d", page*perPage+i))
	}
	json.NewEncoder(w).Encode(list) // the client may be gone
}

type listing struct {
	IDs  []string `json:"ids"`
	More bool     `json:"more"`
}

func allIDs() (ids []string) {
	for i := range perPage * pages {
		ids = append(ids, fmt.Sprintf("è %d", i))
	}
	return ids
}

type modelParams struct {
	URL string `json:"url" doc:"where the numbers are" required:"true"`
}

type place struct {
	Page int  `json:"page"`
	Done bool `json:"done,omitempty"`
}

// model is the smallest fetcher that pages; flaw names what is wrong with it.
type model struct {
	client *http.Client
	flaw   string
	count  *atomic.Int64
}

func (m model) has(flaw string) bool { return m.flaw == flaw }

func (m model) Describe() harvest.Description {
	d := harvest.Description{Summary: "lists numbers", Params: modelParams{}, Identity: []string{"url"}}
	if m.has("wrong identity") {
		d.Identity = []string{"uri"}
	}
	return d
}

func (m model) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		p, err := harvest.DecodeParams[modelParams](req.Params)
		if m.has("lenient params") {
			err = json.Unmarshal(req.Params, &p)
		}
		if err != nil {
			yield(harvest.Page{}, err)
			return
		}
		at := place{}
		if json.Unmarshal(req.Checkpoint, &at) != nil || req.ForceRefresh && !m.has("again is not heard") {
			at = place{}
		}
		for {
			page, next, err := m.page(ctx, p, at)
			if err != nil && m.has("swallows errors") {
				return
			}
			if !yield(page, err) && !m.has("does not stop") || err != nil || page.Last {
				return
			}
			at = next
		}
	}
}

func (m model) page(ctx context.Context, p modelParams, at place) (harvest.Page, place, error) {
	if m.has("hears no cancel") {
		var cancel func()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
	}
	list, err := m.get(ctx, p, at)
	if err != nil {
		return harvest.Page{}, at, err
	}
	if list == nil {
		raw, _ := json.Marshal(at)
		return harvest.Page{NotModified: true, Checkpoint: raw, Last: true}, at, nil
	}
	next := m.next(at, list)
	raw, _ := json.Marshal(next)
	page := harvest.Page{Checkpoint: raw, Listed: len(list.IDs), Last: next.Done}
	for _, id := range list.IDs {
		d := harvest.Document{ID: id, Kind: "number"}
		if m.has("restless hash") {
			d.Title = strconv.FormatInt(m.count.Add(1), 10)
		}
		page.Documents = append(page.Documents, d)
	}
	if m.has("keeps state") && m.count.Add(1) > 1 {
		page.Documents = page.Documents[1:]
	}
	return page, next, nil
}

func (m model) next(at place, list *listing) place {
	next := place{Page: at.Page + 1, Done: !list.More}
	switch m.flaw {
	case "loses a page":
		next.Page += at.Page % 2
	case "doubles a page":
		next.Page = max(1, at.Page)
		if at.Page > 0 {
			next = place{Page: at.Page + 1, Done: !list.More}
		}
	}
	return next
}

func (m model) get(ctx context.Context, p modelParams, at place) (*listing, error) {
	page := at.Page
	if at.Done {
		page = 0
	}
	if m.has("doubles a page") && page > 0 {
		page--
	}
	address, _, _ := strings.Cut(p.URL, "#")
	address, _, _ = strings.Cut(address, "?")
	address = fmt.Sprintf("%s/?page=%d", address, page)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "get", On: address, Err: errors.New("it is not an address")}
	}
	if at.Done {
		req.Header.Set("If-None-Match", `"v1"`)
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, harvest.TransportError("get", address, err)
	}
	defer resp.Body.Close() // nothing was written
	if resp.StatusCode == http.StatusNotModified {
		return nil, nil
	}
	if err := m.status(resp, address); err != nil {
		return nil, err
	}
	return m.decode(resp.Body, address)
}

func (m model) status(resp *http.Response, address string) error {
	rest := resp.Header.Get("Retry-After")
	if m.has("deaf to Retry-After") {
		rest = ""
	}
	err := harvest.StatusError("get", address, resp.StatusCode, rest, time.Now())
	if err != nil && m.has("one kind for all") {
		return errors.New("it failed")
	}
	return err
}

func (m model) decode(body io.Reader, address string) (*listing, error) {
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, harvest.TransportError("read", address, err)
	}
	if !utf8.Valid(b) && !m.has("takes any bytes") {
		return nil, harvest.Errorf(harvest.KindBroken, "parse", address, "it is not UTF-8")
	}
	var list listing
	if err := json.Unmarshal(b, &list); err != nil && !m.has("takes anything") {
		if m.has("panics") {
			panic(err)
		}
		return nil, &harvest.Error{Kind: harvest.KindBroken, Op: "parse", On: address, Err: err}
	}
	return &list, nil
}
