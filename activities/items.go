package activities

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// policy is what an item's own row says, kept beside the item.
type policy struct {
	Paused   string                     `json:"paused,omitempty"`
	Expect   *campaigns.ItemExpectation `json:"expect,omitempty"`
	Tolerate *campaigns.Count           `json:"tolerate,omitempty"`
	// Ended is set on the pseudo item of an entry whose items could not be
	// asked for: there is nothing to fetch.
	Ended *ended `json:"ended,omitempty"`
}

type ended struct {
	Outcome outcomes.Outcome `json:"outcome"`
	Why     string           `json:"why,omitempty"`
	Kind    harvest.Kind     `json:"kind,omitempty"`
	Error   string           `json:"error,omitempty"`
}

// itemMaker turns the rows of one entry into the items of a run.
type itemMaker struct {
	entry *campaigns.Entry
	index int // of the entry in the campaign
	kind  fetchers.Kind
	start steps.Start
	only  map[string]bool // keys; nil: all
	retry map[uint64]bool // hashes of keys; nil: all
	fixed string          // host of rows that name none
	given string          // host that the start lays over all rows
}

func (a *Activities) maker(c *campaigns.Campaign, name string, start steps.Start, retry map[uint64]bool) (*itemMaker, error) {
	e, index, err := entry(c, name)
	if err != nil {
		return nil, err
	}
	kind, err := a.Fetchers.Find(e.Fetcher)
	if err != nil {
		return nil, err
	}
	m := &itemMaker{entry: e, index: index, kind: kind, start: start, retry: retry}
	if len(start.Items) > 0 {
		m.only = map[string]bool{}
		for _, key := range start.Items {
			m.only[key] = true
		}
	}
	m.given, m.fixed = hostIn(m.over()), hostIn(e.Params)
	for _, f := range paramspec.Fields(kind.Params) {
		m.fixed = cmp.Or(m.fixed, campaigns.HostOf(f.Default))
	}
	m.fixed = cmp.Or(m.fixed, kind.Name)
	return m, nil
}

// over is what the start lays over an item's params. Those of a fetcher without
// a campaign are its definition already.
func (m *itemMaker) over() json.RawMessage {
	if m.start.Fetcher != "" {
		return nil
	}
	return m.start.Params
}

// make returns the item of a row; false when the start does not want it.
func (m *itemMaker) make(r campaigns.Row) (rows.RunItem, bool, error) {
	params, err := m.params(r)
	if err != nil {
		return rows.RunItem{}, false, misconfigured(m.entry.Name, err)
	}
	key, err := m.key(r, params)
	if err != nil {
		return rows.RunItem{}, false, misconfigured(m.entry.Name, err)
	}
	return rows.RunItem{
		Entry: m.entry.Name, Key: key, Label: r.Label, Fetcher: m.kind.Name, Params: params,
		Host: m.host(r), Policy: policyOf(r), State: rows.ItemOpen,
	}, m.wants(key, r), nil
}

// brief is make for the first pass: key and host only, which for a row with a
// key of its own costs next to nothing.
func (m *itemMaker) brief(r campaigns.Row) (rows.RunItem, bool, error) {
	if r.Key == "" {
		return m.make(r)
	}
	return rows.RunItem{Entry: m.entry.Name, Key: r.Key, Host: m.host(r)}, m.wants(r.Key, r), nil
}

func (m *itemMaker) wants(key string, r campaigns.Row) bool {
	return (m.only == nil || m.only[key]) && (m.retry == nil || m.retry[keyHash(m.entry.Name, key)]) && m.globs(key, r)
}

// params merges the layers, where there is more than one.
func (m *itemMaker) params(r campaigns.Row) (json.RawMessage, error) {
	if len(m.entry.Params) == 0 && len(m.over()) == 0 && len(r.Params) > 0 {
		return r.OwnParams()
	}
	return m.entry.ItemParams(r, m.over())
}

// key names the item by what it is. Without an identity the key is a hash of
// the params as applied: a param given by hand must not make another item.
func (m *itemMaker) key(r campaigns.Row, params json.RawMessage) (string, error) {
	if len(m.kind.Identity) > 0 || r.Key != "" || m.over() == nil {
		return m.entry.ItemKey(params, m.kind.Identity, r)
	}
	applied, err := m.entry.ItemParams(r, nil)
	if err != nil {
		return "", err
	}
	return m.entry.ItemKey(applied, nil, r)
}

// globs applies include and exclude. Of what the source itself listed, the
// element's own values count as well: a set is named "col_1" there, while its
// item's key begins with the address.
func (m *itemMaker) globs(key string, r campaigns.Row) bool {
	s := m.entry.Split
	if s == nil || len(s.Include)+len(s.Exclude) == 0 {
		return true
	}
	names := []string{key}
	if asks(m.entry) {
		names = append(names, ownValues(r)...)
	}
	in, out := &campaigns.Split{Include: s.Include}, &campaigns.Split{Exclude: s.Exclude}
	return slices.ContainsFunc(names, in.Keep) && !slices.ContainsFunc(names, func(n string) bool { return !out.Keep(n) })
}

func ownValues(r campaigns.Row) []string {
	var values map[string]any
	if json.Unmarshal(r.Params, &values) != nil {
		return nil
	}
	var texts []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func misconfigured(on string, err error) error {
	return &harvest.Error{Kind: harvest.KindMisconfigured, Op: "make items of", On: on, Err: err}
}

func policyOf(r campaigns.Row) json.RawMessage {
	if r.Paused == "" && r.Expect == nil && r.Tolerate == nil {
		return nil
	}
	b, err := json.Marshal(policy{Paused: r.Paused, Expect: r.Expect, Tolerate: r.Tolerate})
	if err != nil {
		return nil // three plain structs: cannot happen
	}
	return b
}

// host guesses the host that an item asks: it only arranges items, the client
// finds the true one.
func (m *itemMaker) host(r campaigns.Row) string {
	return cmp.Or(m.given, hostIn(r.Params), m.fixed)
}

// hostIn finds the host of the param url, else of the first address among the
// values. It looks at the text of the JSON: lists are long.
func hostIn(params json.RawMessage) string {
	for _, mark := range []string{`"url":"http`, `"http`} {
		_, after, found := bytes.Cut(params, []byte(mark))
		if !found {
			continue
		}
		address, _, _ := bytes.Cut(after, []byte(`"`))
		if host := campaigns.HostOf("http" + strings.ReplaceAll(string(address), `\/`, "/")); host != "" {
			return host
		}
	}
	return ""
}

func keyHash(entry, key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(entry + "\x00" + key)) // a hash never fails
	return h.Sum64()
}

// rowsOf streams the rows of a static entry: its inline rows, its stored list,
// or the one item it is.
func (a *Activities) rowsOf(ctx context.Context, e *campaigns.Entry) iter.Seq2[campaigns.Row, error] {
	switch {
	case e.Split == nil:
		return single(campaigns.Row{})
	case e.Split.List != "":
		return a.listRows(ctx, e.Split.List)
	default:
		return inline(e.Split.Items)
	}
}

func single(r campaigns.Row) iter.Seq2[campaigns.Row, error] { return inline([]campaigns.Row{r}) }

func inline(list []campaigns.Row) iter.Seq2[campaigns.Row, error] {
	return func(yield func(campaigns.Row, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (a *Activities) listRows(ctx context.Context, digest string) iter.Seq2[campaigns.Row, error] {
	return func(yield func(campaigns.Row, error) bool) {
		for raw, err := range a.seam.List(ctx, digest) {
			var r campaigns.Row
			if err == nil {
				err = json.Unmarshal(raw, &r)
			}
			if err != nil {
				yield(r, fmt.Errorf("read list %s: %w", digest, err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}
