// Command fetcher is the whole program, starter and worker, with one more kind
// of source: bulletin, numbered notices as JSON. docs/write-a-fetcher.md goes
// through it line by line.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/app"
	"github.com/vendemmia/vendemmia/harvest"
)

func main() { app.Main(app.With("bulletin", newBulletin)) }

type bulletin struct{ client *http.Client }

func newBulletin(client *http.Client) harvest.Fetcher { return bulletin{client} }

type params struct {
	URL string `json:"url" doc:"where the bulletin answers" required:"true" example:"https://www.example.org/notices"`
}

// place is the checkpoint: the highest number that was committed.
type place struct {
	After int `json:"after"`
}

// Describe is what validation, help and the schema know.
func (bulletin) Describe() harvest.Description {
	return harvest.Description{Summary: "reads the numbered notices of a bulletin", Params: params{}, Identity: []string{"url"}, Protocol: true}
}

// Fetch yields one page per answer, from the checkpoint on.
func (b bulletin) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		p, err := harvest.DecodeParams[params](req.Params)
		at := place{}
		if json.Unmarshal(req.Checkpoint, &at) != nil || req.ForceRefresh {
			at = place{}
		}
		for err == nil {
			var answer wire
			if answer, err = b.get(ctx, p.URL, at.After); err != nil {
				break
			}
			page := answer.page(&at)
			if !yield(page, nil) || page.Last {
				return
			}
		}
		yield(harvest.Page{}, err)
	}
}

// wire is an answer as it comes: notices above the number asked for, in order.
type wire struct {
	Bulletin string `json:"bulletin"`
	Notices  []struct {
		Number int       `json:"number"`
		Date   time.Time `json:"date"`
		Title  string    `json:"title"`
		Text   string    `json:"text"`
	} `json:"notices"`
	More bool `json:"more"`
}

// leadsOn: a list that begins anew, whatever is asked for, has no end.
func (w wire) leadsOn(after int) bool {
	return len(w.Notices) > 0 && w.Notices[len(w.Notices)-1].Number > after
}

// page turns an answer into documents and moves at behind them. Every bulletin
// has a notice 1, so its name is part of the id.
func (w wire) page(at *place) harvest.Page {
	page := harvest.Page{Listed: len(w.Notices), NotModified: len(w.Notices) == 0 && at.After > 0, Last: !w.More}
	for _, n := range w.Notices {
		at.After = max(at.After, n.Number)
		page.Documents = append(page.Documents, harvest.Document{
			ID: fmt.Sprintf("%s/%d", w.Bulletin, n.Number), Kind: "notice", Title: n.Title, Published: n.Date, MediaType: "text/plain", Body: []byte(n.Text),
		})
	}
	page.Checkpoint = json.RawMessage(fmt.Sprintf(`{"after":%d}`, at.After))
	return page
}

func (b bulletin) get(ctx context.Context, address string, after int) (wire, error) {
	var w wire
	at, err := url.Parse(address)
	if err != nil {
		return w, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "ask for notices", On: address, Err: err}
	}
	q := at.Query()
	q.Set("after", strconv.Itoa(after))
	at.RawQuery, at.Fragment = q.Encode(), ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return w, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "ask for notices", On: address, Err: err}
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return w, harvest.TransportError("ask for notices", address, err)
	}
	defer resp.Body.Close() // it was only read
	if err := harvest.StatusError("ask for notices", address, resp.StatusCode, resp.Header.Get("Retry-After"), time.Now()); err != nil {
		return w, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return w, harvest.TransportError("read notices", address, err)
	}
	if err := json.Unmarshal(body, &w); err != nil || !utf8.Valid(body) || w.Bulletin == "" || w.More && !w.leadsOn(after) {
		return w, harvest.Errorf(harvest.KindBroken, "read notices", address, "the answer is not a list of notices: %.80q", body)
	}
	return w, nil
}
