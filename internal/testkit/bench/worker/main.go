// Command worker is the worker with one more fetcher: pulse, whose items are one
// page of one small document and ask nobody anything.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"

	"github.com/vendemmia/vendemmia/app"
	"github.com/vendemmia/vendemmia/harvest"
)

func main() { app.Main(app.With("pulse", newPulse)) }

type pulse struct{}

type params struct {
	N int `json:"n" doc:"number of the item" required:"true"`
}

func newPulse(*http.Client) harvest.Fetcher { return pulse{} }

// Describe names the params.
func (pulse) Describe() harvest.Description {
	return harvest.Description{Summary: "One page of one document, asked of nobody.", Params: params{}, Identity: []string{"n"}, Protocol: true}
}

// Fetch yields the only page.
func (pulse) Fetch(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		p, err := harvest.DecodeParams[params](req.Params)
		if err != nil {
			yield(harvest.Page{}, err)
			return
		}
		id := fmt.Sprintf("pulse-%07d", p.N)
		yield(harvest.Page{
			Documents:  []harvest.Document{{ID: id, Title: "Pulse " + id, Body: []byte("A small document, number " + id)}},
			Checkpoint: json.RawMessage(`{"seen":true}`), Listed: 1, Last: true,
		}, nil)
	}
}
