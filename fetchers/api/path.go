package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ohler55/ojg/jp"

	"github.com/vendemmia/vendemmia/fetchers/internal/dates"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// path is a JSONPath; the zero path finds nothing.
type path struct {
	expr jp.Expr
	// many: it may find several values, in members of objects, which have no order.
	many bool
}

func (p path) zero() bool { return len(p.expr) == 0 }

// maxPath bounds the text of a path.
const maxPath = 1000

func compilePath(name, text string) (p path, err error) {
	if text == "" {
		return p, nil
	}
	if len(text) > maxPath || !strings.HasPrefix(text, "$") {
		return p, fmt.Errorf("%s: a JSONPath begins with $ and has at most %d letters", name, maxPath)
	}
	err = harvest.Safely("read JSONPath", text, func() (err error) {
		p.expr, err = jp.ParseString(text)
		return err
	})
	if err != nil {
		return p, fmt.Errorf("%s: %q is not a JSONPath: %w", name, text, err)
	}
	for _, f := range p.expr {
		switch f.(type) {
		case jp.Wildcard, jp.Descent, *jp.Filter, jp.Union:
			p.many = true
		}
	}
	return p, nil
}

// all are the values that it finds, in the order of lists and then of names.
func (p path) all(root any) []any {
	if p.zero() {
		return nil
	}
	found := p.expr.Get(root)
	if len(found) < 2 || !p.many {
		return found
	}
	places := p.expr.Locate(root, 0)
	if len(places) != len(found) {
		return found
	}
	slices.SortFunc(places, compare)
	for i, at := range places {
		found[i] = at.First(root)
	}
	return found
}

func compare(a, b jp.Expr) int {
	for i := range min(len(a), len(b)) {
		n, isN := a[i].(jp.Nth)
		m, isM := b[i].(jp.Nth)
		c := strings.Compare(a[i:i+1].String(), b[i:i+1].String())
		if isN && isM {
			c = cmp.Compare(n, m)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// one is the first value, nil where there is none.
func (p path) one(root any) any {
	if all := p.all(root); len(all) > 0 {
		return all[0]
	}
	return nil
}

// value is what a field holds: nil, one value, or the list of several.
func (p path) value(root any) any {
	switch all := p.all(root); len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return all
	}
}

// yes reports a flag that is set: neither absent nor false, 0, "false" or empty.
func (p path) yes(root any) bool {
	switch v := p.one(root).(type) {
	case nil:
		return false
	case bool:
		return v
	case []any:
		return len(v) > 0
	case map[string]any:
		return true
	default:
		text := strings.ToLower(textOf(v))
		return text != "" && text != "0" && text != "false" && text != "no"
	}
}

// textOf writes a text, number or truth; lists and maps as JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	default:
		b, _ := json.Marshal(v) // it was read from JSON
		return string(b)
	}
}

// numbers turns json.Number into what paths compare. A whole number that fits into none
// stays as it is written, as a text: an id loses no digit.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// moment reads a date: a text, or Unix seconds or milliseconds.
func (p *plan) moment(v any) (time.Time, bool) {
	switch v := v.(type) {
	case int64:
		return unix(float64(v))
	case float64:
		return unix(v)
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && len(v) > 8 {
			return unix(float64(n))
		}
		d, ok := dates.ReadIn(v, p.zone)
		return d.At, ok && d.Unknown == ""
	}
	return time.Time{}, false
}

func unix(n float64) (time.Time, bool) {
	if n > 1e17 || n < -1e17 {
		return time.Time{}, false
	}
	t := time.Unix(int64(n), 0)
	if n >= 1e11 {
		t = time.UnixMilli(int64(n))
	}
	at, ok := times.Storable(t.UTC())
	return at, ok && n > 0
}

func (p *plan) inZone() error {
	if p.Zone == "" {
		return nil
	}
	zone, ok := dates.Zone(p.Zone)
	if !ok {
		return fmt.Errorf("zone: %q is not a time zone, such as Europe/Rome", p.Zone)
	}
	p.zone = zone
	return nil
}
