package planner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
)

func rowChanges(before, after map[string]campaigns.Row, asks *continuing) []RowChange {
	var out []RowChange
	moved := map[string]bool{}
	for key, row := range after {
		old, existed := before[key]
		if change, found := asks.rekeyed(before, key, row); found {
			moved[row.Was] = true
			out = append(out, change)
			continue
		}
		if !existed {
			out = append(out, RowChange{Mark: MarkNew, Key: key, Text: rowWords(row)})
			continue
		}
		if rowChanged(old, row) {
			text, _ := asks.of(key, old, row)
			out = append(out, RowChange{Mark: MarkChanged, Key: key, Text: rowDifference(old, row) + "; " + cmp.Or(text, "the checkpoint is kept")})
		}
	}
	for key := range before {
		if _, stays := after[key]; !stays && !moved[key] {
			out = append(out, RowChange{Mark: MarkGone, Key: key, Text: "its checkpoint and documents stay"})
		}
	}
	order := string(MarkNew + MarkGone + MarkChanged)
	slices.SortFunc(out, func(a, b RowChange) int {
		return cmp.Or(cmp.Compare(strings.Index(order, string(a.Mark)), strings.Index(order, string(b.Mark))), strings.Compare(a.Key, b.Key))
	})
	return out
}

// rowWords identifies a row by its address, or by its label.
func rowWords(row campaigns.Row) string {
	if u := textParam(row.Params, "url"); u != "" {
		return harvest.Redact(u)
	}
	return row.Label
}

func textParam(params json.RawMessage, name string) string {
	var m map[string]any
	if json.Unmarshal(params, &m) != nil {
		return ""
	}
	text, _ := m[name].(string)
	return text
}

func rowChanged(old, now campaigns.Row) bool {
	old.Line, now.Line = 0, 0
	return !sameJSON(old, now)
}

func rowDifference(old, now campaigns.Row) string {
	var what []string
	if a, b := textParam(old.Params, "url"), textParam(now.Params, "url"); a != b {
		what = append(what, "new url")
	}
	if len(what) == 0 && !sameParams(old.Params, now.Params) {
		what = append(what, "new params")
	}
	if old.Label != now.Label {
		what = append(what, "new label")
	}
	if old.Paused != now.Paused {
		what = append(what, pausedRow(now.Paused))
	}
	if len(what) == 0 {
		what = append(what, "new policies")
	}
	return strings.Join(what, ", ")
}

func pausedRow(text string) string {
	if text == "" {
		return "resumed"
	}
	return fmt.Sprintf("paused %q", text)
}

func sameJSON(a, b any) bool {
	x, errA := harvest.Fingerprint(a)
	y, errB := harvest.Fingerprint(b)
	return errA == nil && errB == nil && x == y
}

func sameParams(a, b json.RawMessage) bool {
	var x, y any
	errA, errB := json.Unmarshal(a, &x), json.Unmarshal(b, &y)
	return (errA == nil) == (errB == nil) && sameJSON(x, y)
}
