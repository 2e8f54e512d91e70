package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
)

// sampleParams are the params of a fetcher that needs no network.
type sampleParams struct {
	URL   string `json:"url" doc:"what to read" required:"true" example:"https://example.org/list"`
	Pages int    `json:"pages" doc:"so many pages of two documents" default:"1"`
	Mode  string `json:"mode" doc:"how it ends" enum:"fine,blocked,reject,slow" default:"fine"`
	Token string `json:"token" doc:"the key of the source" secret:"true"`
}

type sample struct{ client *http.Client }

func sampleSet(t testing.TB) fetchers.Set {
	t.Helper()
	set, err := fetchers.Set{}.With("feed", func(c *http.Client) harvest.Fetcher { return sample{c} })
	require.NoError(t, err)
	return set
}

func (sample) Describe() harvest.Description {
	return harvest.Description{
		Summary: "reads a list that is made up", Params: sampleParams{}, Identity: []string{"url"}, Aliases: []string{"rss"},
	}
}

func (sample) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		p, err := harvest.DecodeParams[sampleParams](req.Params)
		if err != nil {
			yield(harvest.Page{}, err)
			return
		}
		var at struct{ Page int }
		if len(req.Checkpoint) > 0 {
			if err := json.Unmarshal(req.Checkpoint, &at); err != nil {
				yield(harvest.Page{}, &harvest.Error{Kind: harvest.KindBroken, Op: "read checkpoint", Err: err})
				return
			}
		}
		for n := at.Page + 1; n <= max(1, p.Pages); n++ {
			if !yield(p.page(ctx, n)) {
				return
			}
		}
	}
}

func (p sampleParams) page(ctx context.Context, n int) (harvest.Page, error) {
	switch p.Mode {
	case "blocked":
		return harvest.Page{}, &harvest.Error{Kind: harvest.KindBlocked, Op: "get", On: p.URL + "?key=" + p.Token, Err: errors.New("HTTP status 403"), Advice: "ask the source"}
	case "slow":
		<-ctx.Done()
		return harvest.Page{}, ctx.Err()
	}
	page := harvest.Page{Listed: 2, Checkpoint: json.RawMessage(fmt.Sprintf(`{"Page":%d}`, n))}
	for i := range 2 {
		page.Documents = append(page.Documents, harvest.Document{
			ID: fmt.Sprintf("d-%d-%d", n, i+1), URL: p.URL, Kind: "entry", Title: "Title", Published: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC),
			Body: []byte("body"), MediaType: "text/plain",
		})
	}
	if p.Mode == "reject" {
		page.Documents = page.Documents[:1]
		page.Rejects = []harvest.Reject{{ID: "x", Reason: `date "31/02/2026"`, Bytes: []byte("<item/>")}}
	}
	return page, nil
}

func (sample) Probe(_ context.Context, address string) (harvest.Finding, error) {
	switch {
	case strings.Contains(address, "down"):
		return harvest.Finding{}, &harvest.Error{Kind: harvest.KindUnreachable, Op: "get", On: address, Err: errors.New("no such host")}
	case strings.Contains(address, "other"):
		return harvest.Finding{}, nil
	}
	raw, err := json.Marshal(map[string]any{"url": address, "pages": 3})
	return harvest.Finding{Sure: 95, Title: "Some News", Detail: "RSS 2.0, 50 entries", Params: raw}, err
}
