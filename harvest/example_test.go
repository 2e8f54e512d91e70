package harvest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// countdown is a fetcher: it yields one document a page, and its checkpoint is what it
// yields next.
type countdown struct{}

type countdownParams struct {
	From int `json:"from" doc:"the first number" required:"true"`
}

func (countdown) Fetch(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		params, err := harvest.DecodeParams[countdownParams](req.Params)
		if err != nil {
			yield(harvest.Page{}, err)
			return
		}
		next := params.From
		if len(req.Checkpoint) > 0 {
			_ = json.Unmarshal(req.Checkpoint, &next) // one that cannot be read counts as none
		}
		for ; next > 0; next-- {
			page := harvest.Page{
				Documents:  []harvest.Document{{ID: fmt.Sprint(next), Kind: "number"}},
				Checkpoint: json.RawMessage(fmt.Sprint(next - 1)),
				Listed:     1, Last: next == 1,
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// A runner commits each page before it asks for the next, and goes on from the last
// checkpoint that was committed.
func ExamplePump() {
	var checkpoint json.RawMessage
	commit := harvest.CommitFunc(func(_ context.Context, page harvest.Page) (harvest.Tally, error) {
		if checkpoint = page.Checkpoint; page.Documents[0].ID == "2" {
			fmt.Println("committed", page.Documents[0].ID, "and the worker dies")
			return harvest.Tally{}, context.Canceled
		}
		fmt.Println("committed", page.Documents[0].ID)
		return harvest.PageTally(&page), nil
	})
	params := json.RawMessage(`{"from":3}`)
	harvest.Pump(context.Background(), countdown{}, harvest.Request{Params: params}, commit)
	sum, err := harvest.Pump(context.Background(), countdown{}, harvest.Request{Params: params, Checkpoint: checkpoint}, commit)
	fmt.Println(sum.Listed, "listed by the second", err)
	// Output:
	// committed 3
	// committed 2 and the worker dies
	// committed 1
	// 1 listed by the second <nil>
}

// Params that do not fit are found before anything is requested.
func ExampleDecodeParams() {
	_, err := harvest.DecodeParams[countdownParams](json.RawMessage(`{"form":3}`))
	fmt.Println(harvest.KindOf(err))
	fmt.Println(err)
	// Output:
	// misconfigured
	// read params form: no such param; did you mean from?
}

// The kind of an error decides whether and when an item is tried again.
func ExampleStatusError() {
	for _, status := range []int{200, 404, 429, 500} {
		err := harvest.StatusError("get records", "https://www.example.org/records?key=1234", status, "120", time.Now())
		fmt.Println(status, harvest.KindOf(err), err)
	}
	// Output:
	// 200  <nil>
	// 404 gone get records https://www.example.org/records: HTTP status 404
	// 429 throttled get records https://www.example.org/records: HTTP status 429
	// 500 server_error get records https://www.example.org/records: HTTP status 500
}
