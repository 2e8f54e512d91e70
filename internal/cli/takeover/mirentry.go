package takeover

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/units"
)

// place is where a fetcher of Mir stands, and what it is called there.
type place struct {
	file string
	line int
	name string
}

// entry is a fetcher of Mir as an entry; lacks is why it cannot be one.
func (a *acquirer) entry(at place, f MirFetcher) (e Entry, lacks []string) {
	kind, err := a.set.Find(f.Class)
	if err != nil {
		return e, []string{a.noFetcher(f.Class)}
	}
	e = Entry{Name: kind.Name, Fetcher: kind.Name, Identity: kind.Identity}
	t := &itemTaker{acquirer: a, kind: kind, class: f.Class, at: at, seen: map[string]bool{}}
	for _, raw := range f.Items {
		item, err := t.take(raw)
		if err != nil {
			lacks = append(lacks, err.Error())
			continue
		}
		e.Items = append(e.Items, item)
	}
	e.Items = t.dropTwins(e.Items)
	t.tell()
	return t.formed(e, f.Split), t.verdict(f.Split, e.Items, lacks)
}

// formed moves the only item of a fetcher that is not split to the entry.
func (t *itemTaker) formed(e Entry, split bool) Entry {
	if !split && len(e.Items) > 0 {
		e.Params, e.Items = e.Items[0].Params, nil
	}
	return e
}

// verdict: items of a split are left out one by one, as long as one is left.
func (t *itemTaker) verdict(split bool, items []Item, lacks []string) []string {
	if !split || len(items) == 0 {
		return slices.Compact(lacks)
	}
	for _, text := range lacks {
		t.note(&t.notes, "an item is left out: "+text)
	}
	return nil
}

// itemTaker takes the items of one fetcher.
type itemTaker struct {
	*acquirer
	kind  fetchers.Kind
	class string
	at    place
	seen  map[string]bool
	twice []string
}

func (t *itemTaker) note(to *grouped, text string) {
	to.in(t.at.file, t.at.line, t.at.name+": "+text)
}

// noFetcher says what to do about a class that no fetcher is called.
func (a *acquirer) noFetcher(class string) string {
	for _, k := range a.set.All() {
		if instead := k.Retired[class]; instead != "" {
			return instead
		}
	}
	return "there is no fetcher for " + class
}

func (t *itemTaker) take(raw json.RawMessage) (Item, error) {
	escaped, err := references.EscapeJSON(unwrapped(raw)) // Mir has no references
	if err != nil {
		return Item{}, err
	}
	given, err := paramspec.Object(escaped)
	if err != nil {
		return Item{}, fmt.Errorf("params %w", err)
	}
	var item Item
	given = maps.Clone(given)
	if !t.isParam("label") {
		_ = json.Unmarshal(given["label"], &item.Label) // no text, no label
		delete(given, "label")
	}
	whole, err := t.kind.Imply(t.class, mustJSON(given))
	if err != nil {
		return Item{}, err
	}
	if item.Params, err = paramspec.Object(whole); err != nil {
		return Item{}, err
	}
	t.secrets(item.Params)
	t.addresses(item.Params)
	if problems := paramspec.Check(mustJSON(item.Params), t.kind.Params); len(problems) > 0 {
		return item, fmt.Errorf("%s", problemTexts(problems))
	}
	return item, nil
}

// unwrapped is {params: {…}} without its wrapper, as Mir's processor reads items.
func unwrapped(raw json.RawMessage) json.RawMessage {
	var wrapped map[string]json.RawMessage
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped) == 1 && wrapped["params"] != nil {
		return wrapped["params"]
	}
	return raw
}

func problemTexts(list []paramspec.Problem) string {
	var out []string
	for _, p := range list {
		out = append(out, strings.TrimSpace(p.Field+" "+p.Text))
	}
	return strings.Join(out, "; ")
}

func (t *itemTaker) isParam(name string) bool {
	return slices.ContainsFunc(t.kind.Fields(), func(f paramspec.Field) bool { return f.Name == name })
}

// secrets puts a reference in the place of every literal secret.
func (t *itemTaker) secrets(params map[string]json.RawMessage) {
	for _, f := range t.kind.Fields() {
		var text string
		if !f.Secret || json.Unmarshal(params[f.Name], &text) != nil || references.Has(text) {
			continue
		}
		params[f.Name] = quoted(f.Example)
		t.note(&t.doubts, fmt.Sprintf("%s is a secret and was not copied; give it to the worker as %s", f.Name, f.Example))
	}
}

// addresses takes passwords and blanks out of addresses.
func (t *itemTaker) addresses(params map[string]json.RawMessage) {
	for name, raw := range params {
		var text string
		if json.Unmarshal(raw, &text) != nil || !strings.HasPrefix(text, "http") {
			continue
		}
		clean := strings.ReplaceAll(strings.TrimSpace(text), " ", "%20")
		if clean != text {
			t.note(&t.doubts, fmt.Sprintf("blanks in the address %s became %%20", text))
		}
		if references.Password(clean) != "" {
			clean = references.ReplacePassword(clean, "${secret:env:VENDEMMIA_SECRET_PASSWORD}")
			t.note(&t.doubts, "a password in an address was not copied; give it to the worker as VENDEMMIA_SECRET_PASSWORD")
		}
		params[name] = quoted(clean)
	}
}

// dropTwins leaves items out that name a source a second time.
func (t *itemTaker) dropTwins(items []Item) []Item {
	return slices.DeleteFunc(items, func(it Item) bool {
		key, err := units.Key(mustJSON(it.Params), t.kind.Identity)
		if err != nil || !t.seen[key] {
			t.seen[key] = true
			return false
		}
		t.twice = append(t.twice, key)
		return true
	})
}

func (t *itemTaker) tell() {
	if n := len(t.twice); n > 0 {
		t.note(&t.notes, fmt.Sprintf("%d of its items name a source a second time and are left out: %s", n, strings.Join(t.twice, ", ")))
	}
}

func mustJSON(v any) json.RawMessage {
	b, _ := json.Marshal(v) // maps of raw JSON that was read before: it cannot fail
	return b
}
