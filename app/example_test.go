package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"

	"github.com/vendemmia/vendemmia/app"
	"github.com/vendemmia/vendemmia/harvest"
)

// greeting is a fetcher that needs no source.
type greeting struct{}

type greetingParams struct {
	Whom string `json:"whom" doc:"who is greeted" required:"true" example:"Genova"`
}

func newGreeting(*http.Client) harvest.Fetcher { return greeting{} }

func (greeting) Describe() harvest.Description {
	return harvest.Description{Summary: "greets", Params: greetingParams{}, Identity: []string{"whom"}, Protocol: true}
}

func (greeting) Fetch(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		params, err := harvest.DecodeParams[greetingParams](req.Params)
		yield(harvest.Page{
			Documents:  []harvest.Document{{ID: params.Whom, Title: "Ciao " + params.Whom, Hash: "1"}},
			Checkpoint: json.RawMessage(`1`), Listed: 1, Last: true,
		}, err)
	}
}

// A program with a fetcher of its own has it beside those that come with it. Its main
// function is
//
//	func main() { app.Main(app.With("greeting", newGreeting)) }
func Example() {
	run := func(args ...string) {
		if code := app.Run(context.Background(), args, os.Stdout, os.Stdout, app.With("greeting", newGreeting)); code != 0 {
			fmt.Println("exit code", code)
		}
	}
	run("fetchers", "show", "greeting")
	run("fetchers", "try", "greeting", "--params", "who=Genova")
	// Output:
	// fetcher     greeting
	// brings      greets
	// item key    whom
	// robots      not asked: a protocol or a documented interface
	//
	// whom              string   who is greeted; required
	//                            example Genova
	// starter: greeting: 2 problems with the params:
	//   params.who  no such param; did you mean whom?
	//   params.whom  is required
	// see `starter fetchers show greeting`
	// exit code 2
}
