package takeover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
)

// MirFetcher is a fetcher as a document of Mir names it.
type MirFetcher struct {
	Class string
	// Items is one element per item, where the fetcher is split; else one element.
	Items []json.RawMessage
	Split bool
}

// MirCampaign is a campaign of Mir's documents.
type MirCampaign struct {
	Name, File string
	Fetchers   []MirFetcher
}

// MirDocuments are campaigns of Mir's collection `system`, in their order.
type MirDocuments struct {
	Campaigns []MirCampaign
	Notes     []campaigns.Problem
}

// mirDocument is both layouts: the flat list (ACQ) and a document per campaign.
type mirDocument struct {
	Tag      string       `json:"tag"`
	Campaign string       `json:"campaign"`
	Fetchers []mirFetcher `json:"fetchers"`
	Params   struct {
		Fetchers []mirFetcher `json:"fetchers"`
	} `json:"params"`
}

type mirFetcher struct {
	Campaign string          `json:"campaign"`
	Class    string          `json:"ns"`
	Split    json.RawMessage `json:"split"`
	Params   json.RawMessage `json:"params"`
}

// ReadMirDocuments reads an export of the collection: a list of documents, one
// document, or one after the other as mongoexport writes them. The error is for
// what is not JSON; what is no campaign is in Notes.
func ReadMirDocuments(file string, text []byte) (MirDocuments, error) {
	docs, err := jsonDocuments(text)
	if err != nil {
		return MirDocuments{}, err
	}
	r := &mirReader{notes: grouped{file: file}}
	for i, raw := range docs {
		var d mirDocument
		if err := json.Unmarshal(raw, &d); err != nil {
			r.notes.add(0, fmt.Sprintf("document %d: %v; left out", i+1, err))
			continue
		}
		r.document(i+1, d)
	}
	r.out.Notes = r.notes.problems()
	return r.out, nil
}

// jsonDocuments parts a text into documents.
func jsonDocuments(text []byte) ([]json.RawMessage, error) {
	var out []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			line := 1 + bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n"))
			return nil, fmt.Errorf("not JSON from line %d on: %w", line, err)
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			out = append(out, list...)
			continue
		}
		out = append(out, raw)
	}
}

type mirReader struct {
	out   MirDocuments
	notes grouped
}

func (r *mirReader) document(n int, d mirDocument) {
	list := append(slices.Clone(d.Fetchers), d.Params.Fetchers...)
	if len(list) == 0 {
		r.notes.add(0, fmt.Sprintf("document %d (tag %s) starts no fetcher; left out", n, orDash(d.Tag)))
		return
	}
	for _, f := range list {
		name := f.Campaign
		if name == "" {
			name = d.Campaign
		}
		if name == "" || f.Class == "" {
			r.notes.add(0, fmt.Sprintf("document %d: a fetcher without campaign or ns; left out", n))
			continue
		}
		r.fetcher(name, f)
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// fetcher keeps one; split, whatever its value, makes an item of each of its
// params, as Mir does.
func (r *mirReader) fetcher(campaign string, f mirFetcher) {
	at := slices.IndexFunc(r.out.Campaigns, func(c MirCampaign) bool { return c.Name == campaign })
	if at < 0 {
		at = len(r.out.Campaigns)
		r.out.Campaigns = append(r.out.Campaigns, MirCampaign{Name: campaign, File: r.notes.file})
	}
	c := &r.out.Campaigns[at]
	if len(f.Split) == 0 || string(f.Split) == "null" {
		c.Fetchers = append(c.Fetchers, MirFetcher{Class: f.Class, Items: []json.RawMessage{f.Params}})
		return
	}
	var items []json.RawMessage
	if err := json.Unmarshal(f.Params, &items); err != nil || len(items) == 0 {
		r.notes.add(0, fmt.Sprintf("campaign %s, %s: split without a list of params; left out", campaign, f.Class))
		return
	}
	c.Fetchers = append(c.Fetchers, MirFetcher{Class: f.Class, Items: items, Split: true})
}
