package oai

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
)

// problem is a protocol error (specification, section 3.6).
type problem struct{ code, text string }

// verb is what a verb takes.
type verb struct {
	required, optional []string
	list               bool // may go on by a token
}

func verbs() map[string]verb {
	window := []string{"from", "until", "set"}
	return map[string]verb{
		"Identify":            {},
		"ListMetadataFormats": {optional: []string{"identifier"}},
		"ListSets":            {list: true},
		"ListIdentifiers":     {required: []string{"metadataPrefix"}, optional: window, list: true},
		"ListRecords":         {required: []string{"metadataPrefix"}, optional: window, list: true},
		"GetRecord":           {required: []string{"identifier", "metadataPrefix"}},
	}
}

// check says what is wrong with the arguments as such; the verb is known.
func (v verb) check(args url.Values) []problem {
	if v.list && args.Has("resumptionToken") {
		if len(args) != 2 || len(args["resumptionToken"]) != 1 {
			return []problem{{"badArgument", "resumptionToken is an exclusive argument"}}
		}
		return nil
	}
	var list []problem
	for _, name := range v.required {
		if args.Get(name) == "" {
			list = append(list, problem{"badArgument", name + " is missing"})
		}
	}
	for name, values := range args {
		if name != "verb" && !slices.Contains(v.required, name) && !slices.Contains(v.optional, name) {
			list = append(list, problem{"badArgument", name + " is no argument of this verb"})
		} else if len(values) > 1 {
			list = append(list, problem{"badArgument", name + " stands there more than once"})
		}
	}
	slices.SortFunc(list, func(a, b problem) int { return strings.Compare(a.text, b.text) })
	return list
}

// ask makes a query of checked arguments.
func (c *call) ask() (query, []problem) {
	if token := c.args.Get("resumptionToken"); c.args.Has("resumptionToken") {
		return c.resume(token)
	}
	q := query{verb: c.verb, prefix: c.args.Get("metadataPrefix"), set: c.args.Get("set"), from: c.args.Get("from"), until: c.args.Get("until")}
	if name, ok := strings.CutPrefix(q.set, faultSet); ok {
		q.fault = name
	}
	if q.verb != "ListSets" && !known(q.prefix) {
		return q, []problem{{"cannotDisseminateFormat", "there are oai_dc and marc21"}}
	}
	return c.understand(q)
}

func known(prefix string) bool { return prefix == DC || prefix == MARC }

// understand fills in set and window.
func (c *call) understand(q query) (query, []problem) {
	house := c.house
	if house.config.NoSets && (q.verb == "ListSets" || q.set != "" && q.fault == "") {
		return q, []problem{{"noSetHierarchy", "this repository has no sets"}}
	}
	var ok bool
	if q.chosen, ok = house.find(q.set); !ok {
		return q, []problem{nothing()}
	}
	var bad string
	if q.window, bad = house.window(q.from, q.until, house.config.Days || c.fault.refusesSeconds); bad != "" {
		return q, []problem{{"badArgument", bad}}
	}
	return q, nil
}

func nothing() problem { return problem{"noRecordsMatch", "nothing matches"} }

func (c *call) resume(token string) (query, []problem) {
	bad := []problem{{"badResumptionToken", "this token is not valid, or not any more"}}
	t, ok := decode(token)
	if !ok || t.verb != c.verb || t.epoch != c.epoch || c.now.After(t.issued.Add(c.house.config.TokenLife)) {
		return t.query, bad
	}
	return c.understand(t.query)
}

// window reads from and until; the second result says what is wrong.
func (r *Repository) window(from, until string, days bool) (window, string) {
	w := window{from: math.MinInt64, until: math.MaxInt64}
	for _, text := range []string{from, until} {
		if _, err := time.Parse(daysLayout, text); text == "" || err == nil {
			continue
		}
		if _, err := time.Parse(secondsLayout, text); err != nil || days {
			return w, text + " is no UTC date of the granularity declared"
		}
	}
	if from != "" && until != "" && len(from) != len(until) {
		return w, "from and until differ in granularity"
	}
	if from != "" {
		w.from = moment(from).Unix()
	}
	if until != "" {
		w.until = moment(until).Unix()
		if len(until) == len(daysLayout) {
			w.until += 24*60*60 - 1
		}
	}
	if w.from > w.until {
		return w, "from is later than until"
	}
	return w, ""
}

func moment(text string) time.Time {
	t, err := time.Parse(secondsLayout, text)
	if err != nil {
		t, _ = time.Parse(daysLayout, text) // checked by window
	}
	return t
}
