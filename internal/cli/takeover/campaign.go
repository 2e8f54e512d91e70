package takeover

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/vendemmia/vendemmia/internal/references"
)

// Fetcher is the name of the fetcher that a campaign of a Harvest uses.
const Fetcher = "oaipmh"

// Campaign writes a campaign file with one entry: an item for each source, by
// its key. The items stand in the file, or, with list, in a CSV file of that
// name beside it, which WriteList writes. It has no schedule: the first run is
// for somebody to look at.
func (h *Harvest) Campaign(name, from, list string) ([]byte, error) {
	body := yaml.MapSlice{{Key: "description", Value: "taken over from " + from}}
	if h.Timeout > 0 {
		body = append(body, yaml.MapItem{Key: "timeouts", Value: yaml.MapSlice{{Key: "request", Value: fmt.Sprintf("%ds", h.Timeout/time.Second)}}})
	}
	body = append(body, yaml.MapItem{Key: "fetcher", Value: Fetcher})
	if p := h.prefix(); p != "" {
		body = append(body, yaml.MapItem{Key: "params", Value: yaml.MapSlice{{Key: "prefix", Value: references.Escape(p)}}})
	}
	body = append(body, yaml.MapItem{Key: "split", Value: h.split(list)})
	b, err := yaml.MarshalWithOptions(yaml.MapSlice{{Key: "campaigns", Value: yaml.MapSlice{{Key: name, Value: body}}}}, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("write campaign %s: %w", name, err)
	}
	return b, nil
}

// prefix is the one that all sources have; "" where they differ.
func (h *Harvest) prefix() string {
	for _, s := range h.Sources {
		if s.Prefix != h.Sources[0].Prefix {
			return ""
		}
	}
	return h.Sources[0].Prefix
}

func (h *Harvest) split(list string) yaml.MapSlice {
	if list != "" {
		return yaml.MapSlice{{Key: "file", Value: list}, {Key: "key", Value: "id"}}
	}
	var items []yaml.MapSlice
	columns := h.columns()
	for _, row := range h.rows(columns) {
		var item yaml.MapSlice
		for i, cell := range row {
			if cell != "" {
				item = append(item, yaml.MapItem{Key: columns[i], Value: references.Escape(cell)})
			}
		}
		items = append(items, item)
	}
	return yaml.MapSlice{{Key: "key", Value: "id"}, {Key: "items", Value: items}}
}

// columns are those that some source needs.
func (h *Harvest) columns() []string {
	out := []string{"id", "url"}
	for _, name := range []string{"prefix", "set", "from", "until", "granularity"} {
		if name == "prefix" && h.prefix() != "" {
			continue
		}
		if slices.ContainsFunc(h.Sources, func(s Source) bool { return s.column(name) != "" }) {
			out = append(out, name)
		}
	}
	return out
}

// column is a source's cell.
func (s Source) column(name string) string {
	switch name {
	case "id":
		return s.Key
	case "url":
		return s.URL
	case "prefix":
		return s.Prefix
	case "set":
		return s.Set
	default:
		return s.Params[name]
	}
}

func (h *Harvest) rows(columns []string) [][]string {
	var out [][]string
	for _, s := range h.Sources {
		row := []string{}
		for _, c := range columns {
			row = append(row, s.column(c))
		}
		out = append(out, row)
	}
	return out
}

// WriteList writes the sources as the CSV list of a campaign.
func (h *Harvest) WriteList(w io.Writer) error {
	c := csv.NewWriter(w)
	columns := h.columns()
	c.Write(columns) // Error tells it
	for _, row := range h.rows(columns) {
		c.Write(row) // as above
	}
	c.Flush()
	return c.Error()
}

// ListName is the name of the list beside a campaign file.
func ListName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) + ".csv"
}
