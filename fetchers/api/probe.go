package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// Probe is part of harvest.Prober: it looks for a list of records in JSON, and for what
// their id could be, in one request.
func (f *Fetcher) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	p, err := Params{URL: address, PrimaryKey: "$.id"}.compile()
	if err != nil {
		return harvest.Finding{Detail: "no address of an API"}, nil
	}
	r := &reading{Fetcher: f, ctx: ctx, plan: p, walk: &walk{}}
	a, err := r.ask(answer.Validators{})
	defer a.Release()
	if err != nil {
		return harvest.Finding{}, err
	}
	root, err := p.read(&a)
	if err != nil {
		return harvest.Finding{Detail: "what comes is not JSON"}, nil
	}
	at, records := longest(root)
	if len(records) == 0 {
		return harvest.Finding{Sure: 5, Detail: "JSON without a list of records"}, nil
	}
	return found(address, at, records, nextLink(a.Header.Values("Link"))), nil
}

func found(address, at string, records []any, link string) harvest.Finding {
	params := map[string]any{"url": address, "data_selector": at}
	key := keyOf(records[0])
	if key != "" {
		params["primary_key"] = "$['" + key + "']"
	}
	if link != "" {
		params["paginator"] = map[string]any{"type": headerLink}
	}
	raw, _ := json.Marshal(params) // texts only
	return harvest.Finding{
		Sure: 40, Params: raw, Detail: fmt.Sprintf("JSON with a list of %d records", len(records)),
		Facts: []harvest.Fact{{Name: "data_selector", Value: at}, {Name: "primary_key", Value: key}},
	}
}

// longest is the list of objects at the root or in one of its members, the longest.
func longest(root any) (at string, records []any) {
	if l, ok := root.([]any); ok && isObject(l) {
		return "$", l
	}
	members, _ := root.(map[string]any)
	for name, v := range members {
		l, ok := v.([]any)
		if ok && isObject(l) && (len(l) > len(records) || len(l) == len(records) && "$['"+name+"']" < at) {
			at, records = "$['"+name+"']", l
		}
	}
	return at, records
}

func isObject(l []any) bool {
	if len(l) == 0 {
		return false
	}
	_, ok := l[0].(map[string]any)
	return ok
}

// keyOf is the member that is most likely an id.
func keyOf(record any) string {
	m, _ := record.(map[string]any)
	for _, name := range []string{"id", "ID", "Id", "_id", "uuid", "guid", "key", "DOI", "doi", "identifier"} {
		if _, ok := m[name]; ok && slices.Contains([]string{"string", "int64"}, fmt.Sprintf("%T", m[name])) {
			return name
		}
	}
	return ""
}
