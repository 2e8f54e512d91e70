package campaigns

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/times"
)

// Export writes a campaign as a file of long forms, with every value and without
// defaults. Loaded again with its list files it has the same digest. Pauses are left
// out.
func Export(c Campaign) ([]byte, error) {
	body, err := exportCampaign(c)
	if err != nil {
		return nil, fmt.Errorf("export campaign %s: %w", c.Name, err)
	}
	file := &fields{}
	file.text("project", c.Project)
	campaigns := &fields{}
	campaigns.set(c.Name, body)
	file.set("campaigns", campaigns.node())
	return yamltree.Write(file.node()), nil
}

// fields is a map while it is written.
type fields struct{ members []yamltree.Member }

func (f *fields) node() *yamltree.Node { return &yamltree.Node{Kind: yamltree.Map, Members: f.members} }

func (f *fields) set(key string, n *yamltree.Node) {
	f.members = append(f.members, yamltree.Member{Key: key, Value: n})
}

func (f *fields) text(key, text string) {
	if text != "" {
		f.set(key, scalar(text))
	}
}

func (f *fields) texts(key string, texts []string) {
	if len(texts) > 0 {
		f.set(key, listOf(texts))
	}
}

func (f *fields) integer(key string, n int) { f.set(key, whole(n)) }

// duration leaves 0 out; durationOr writes a word for it.
func (f *fields) duration(key string, d time.Duration) {
	if d != 0 {
		f.set(key, scalar(times.FormatDuration(d)))
	}
}

func (f *fields) durationOr(key string, d time.Duration, word string) {
	f.text(key, word)
	if d != 0 {
		f.members[len(f.members)-1].Value = scalar(times.FormatDuration(d))
	}
}

func (f *fields) json(key string, raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	f.set(key, yamltree.FromJSON(v))
	return nil
}

func whole(n int) *yamltree.Node { return &yamltree.Node{Kind: yamltree.Int, Text: strconv.Itoa(n)} }

func exportCampaign(c Campaign) (*yamltree.Node, error) {
	f := &fields{}
	f.text("description", c.Description)
	f.text("owner", c.Owner)
	f.text("log", c.Log)
	f.texts("tags", c.Tags)
	if c.Schedule != nil {
		f.set("schedule", exportSchedule(*c.Schedule))
	}
	f.integer("processors", c.Processors)
	f.set("chunk", scalar("auto"))
	if c.Chunk > 0 {
		f.members[len(f.members)-1].Value = whole(c.Chunk)
	}
	f.set("notify", exportNotify(c.Notify))
	f.set("keep", exportKeep(c.Keep))
	f.texts("was", c.Was)
	f.set("timeouts", exportTimeouts(c.Timeouts, true))
	tolerate := &fields{}
	tolerate.set("items", exportCount(c.Tolerate))
	f.set("tolerate", tolerate.node())
	expect := &fields{}
	expect.set("run", exportExpectation(ItemExpectation(c.Expect), false))
	f.set("expect", expect.node())
	exportBudget(f, c.Budget)
	entries, err := exportEntries(c.Entries)
	f.set("fetchers", entries)
	return f.node(), err
}

func exportKeep(k Keep) *yamltree.Node {
	f := &fields{}
	if k.Raw == NeverKept {
		f.text("raw", "none")
	} else {
		f.durationOr("raw", k.Raw, "forever")
	}
	f.durationOr("versions", k.Versions, "all")
	f.durationOr("ledger", k.Ledger, "forever")
	f.durationOr("runs", k.Runs, "forever")
	return f.node()
}

func exportEntries(list []Entry) (*yamltree.Node, error) {
	entries := &yamltree.Node{Kind: yamltree.List}
	for _, e := range list {
		n, err := exportEntry(e)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.Name, err)
		}
		entries.Items = append(entries.Items, n)
	}
	return entries, nil
}

func exportEntry(e Entry) (*yamltree.Node, error) {
	f := &fields{}
	f.text("name", e.Name)
	f.text("fetcher", e.Fetcher)
	if err := f.json("params", e.Params); err != nil {
		return nil, err
	}
	if err := exportSplit(f, e.Split); err != nil {
		return nil, err
	}
	f.duration("refresh", e.Refresh)
	if len(e.Add) > 0 {
		raw, err := encodeJSON(e.Add)
		if err != nil {
			return nil, fmt.Errorf("add: %w", err)
		}
		if err := f.json("add", raw); err != nil {
			return nil, err
		}
	}
	f.text("queue", e.Queue)
	f.text("priority", string(e.Priority))
	f.set("timeouts", exportTimeouts(e.Timeouts, false))
	f.set("retry", exportRetry(e.Retry))
	tolerate, expect := &fields{}, &fields{}
	tolerate.set("records", exportCount(e.Tolerate))
	f.set("tolerate", tolerate.node())
	expect.set("item", exportExpectation(e.Expect, false))
	f.set("expect", expect.node())
	exportBudget(f, e.Budget)
	if err := exportAuth(f, e.Auth); err != nil {
		return nil, err
	}
	f.texts("was", e.Was)
	return f.node(), nil
}

func exportCount(c Count) *yamltree.Node {
	return scalarOrInt(values.FormatCount(c.N, c.Share))
}

func scalarOrInt(text string) *yamltree.Node {
	if _, err := strconv.Atoi(text); err == nil {
		return &yamltree.Node{Kind: yamltree.Int, Text: text}
	}
	return scalar(text)
}
