// Command hostile is the worker with one more fetcher: trap, whose items behave,
// panic, hang, or kill the whole process, as their params say.
package main

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"os"
	"syscall"

	"github.com/vendemmia/vendemmia/app"
	"github.com/vendemmia/vendemmia/harvest"
)

func main() { app.Main(app.With("trap", newTrap)) }

type trap struct{}

type params struct {
	Name string `json:"name" doc:"of the item" required:"true"`
	Does string `json:"does" doc:"what it does" enum:"well,panic,hang,kill"`
}

func newTrap(*http.Client) harvest.Fetcher { return trap{} }

// Describe names the params.
func (trap) Describe() harvest.Description {
	return harvest.Description{Summary: "Does what its params say.", Params: params{}, Identity: []string{"name"}, Protocol: true}
}

// Fetch yields one page, once, and then does it.
func (trap) Fetch(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		p, err := harvest.DecodeParams[params](req.Params)
		if err != nil {
			yield(harvest.Page{}, err)
			return
		}
		page := harvest.Page{Documents: []harvest.Document{{ID: p.Name, Title: p.Name}}, Checkpoint: json.RawMessage(`1`), Listed: 1}
		if len(req.Checkpoint) == 0 && !yield(page, nil) {
			return
		}
		switch p.Does {
		case "panic":
			panic("a defect of this fetcher")
		case "hang":
			select {} // not even the end of its context moves it
		case "kill":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
