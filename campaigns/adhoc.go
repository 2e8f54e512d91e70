package campaigns

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/retry"
)

// Adhoc is the campaign of a fetcher that is run without one: named
// "adhoc-<fetcher>", one entry, one item, all policies as built in. processors
// 0 is one. params are not checked here; they refer to no secret.
func Adhoc(fetcher string, params json.RawMessage, processors int) Campaign {
	return Campaign{
		Name:        AdhocPrefix + fetcher,
		Description: fetcher + ", by hand",
		Processors:  max(1, processors),
		Keep:        Keep{Raw: 30 * 24 * time.Hour, Runs: 90 * 24 * time.Hour},
		Timeouts:    builtinTimeouts(),
		Tolerate:    Count{Share: 0.1},
		Entries: []Entry{{
			Name: fetcher, Fetcher: fetcher, Params: orNothing(params),
			Queue: DefaultQueue, Priority: PriorityNormal, Timeouts: builtinTimeouts(),
			Retry: retry.Default(), Tolerate: Count{N: 20},
		}},
	}
}

// DefaultQueue is the task queue of an entry that names none.
const DefaultQueue = "vendemmia-fetch"

func builtinTimeouts() Timeouts {
	return Timeouts{Request: time.Minute, Page: 5 * time.Minute, Item: 6 * time.Hour}
}

func orNothing(params json.RawMessage) json.RawMessage {
	escaped, err := references.EscapeJSON(params)
	if err != nil {
		return params
	}
	canonical, err := canonicalJSON(json.RawMessage(cmp.Or(string(escaped), "{}")))
	if err != nil {
		return params
	}
	if string(canonical) == "{}" {
		return nil
	}
	return canonical
}
