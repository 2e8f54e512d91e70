package campaigns

import (
	"cmp"
	"strconv"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/times"
)

func exportSchedule(s Schedule) *yamltree.Node {
	f := &fields{}
	f.duration("every", s.Every)
	f.duration("offset", s.Offset)
	f.texts("at", s.At)
	f.texts("days", s.Days)
	f.texts("cron", s.Cron)
	f.text("time_zone", cmp.Or(s.TimeZone, "UTC"))
	if s.Jitter != nil {
		f.durationOr("jitter", *s.Jitter, "0s")
	}
	f.text("start", s.Start)
	f.text("end", s.End)
	f.texts("skip", s.Skip)
	if s.MaxRuns > 0 {
		f.integer("max_runs", s.MaxRuns)
	}
	f.text("overlap", string(s.Overlap))
	f.duration("catch_up", s.CatchUp)
	return f.node()
}

func exportNotify(alerts []Alert) *yamltree.Node {
	out := &yamltree.Node{Kind: yamltree.List}
	for _, a := range alerts {
		f := &fields{}
		f.text("to", a.To)
		var when []string
		for _, o := range a.When {
			when = append(when, string(o))
		}
		f.texts("when", append(when, a.Also...))
		f.integer("after", a.After)
		f.text("per", a.Per)
		f.text("digest", a.Digest)
		out.Items = append(out.Items, f.node())
	}
	return out
}

func exportTimeouts(t Timeouts, run bool) *yamltree.Node {
	f := &fields{}
	f.durationOr("request", t.Request, "none")
	f.durationOr("page", t.Page, "none")
	f.durationOr("item", t.Item, "none")
	if run {
		word := "auto"
		switch {
		case t.UntilNext:
			word = "until_next"
		case t.Endless:
			word = "none"
		}
		f.durationOr("run", t.Run, word)
	}
	return f.node()
}

// exportExpectation writes zeros too when all is wanted.
func exportExpectation(e ItemExpectation, all bool) *yamltree.Node {
	f := &fields{}
	if e.MinDocuments > 0 || all {
		f.integer("min_documents", e.MinDocuments)
	}
	if e.FreshWithin > 0 || all {
		f.set("fresh_within", scalar(times.FormatDuration(e.FreshWithin)))
	}
	word := "warn"
	if e.Fail {
		word = "fail"
	}
	f.text("else", word)
	return f.node()
}

func exportBudget(f *fields, allowances []Allowance) {
	if len(allowances) == 0 {
		return
	}
	budget := &fields{}
	for _, what := range []string{"requests", "bytes", "documents"} {
		var rates []string
		for _, a := range allowances {
			switch {
			case a.What != what:
			case what == "bytes":
				rates = append(rates, values.FormatSize(a.N)+"/"+a.Per)
			default:
				rates = append(rates, strconv.FormatInt(a.N, 10)+"/"+a.Per)
			}
		}
		budget.texts(what, rates)
	}
	f.set("budget", budget.node())
}

func exportRetry(rules []retry.Rule) *yamltree.Node {
	out := &yamltree.Node{Kind: yamltree.List}
	for _, r := range rules {
		f := &fields{}
		var when []string
		for _, k := range r.When {
			when = append(when, string(k))
		}
		f.texts("when", when)
		if r.Times == retry.Forever {
			f.text("times", "forever")
		} else {
			f.integer("times", r.Times)
		}
		f.duration("wait", r.Wait)
		if r.Factor > 0 {
			f.set("factor", &yamltree.Node{Kind: yamltree.Float, Text: strconv.FormatFloat(r.Factor, 'g', -1, 64)})
		}
		f.duration("cap", r.Cap)
		if r.Jitter > 0 {
			f.text("jitter", values.FormatShare(r.Jitter))
		}
		f.duration("within", r.Within)
		if len(r.ByAge) > 0 {
			f.set("by_age", exportAges(r.ByAge))
		}
		f.text("queue", r.Queue)
		out.Items = append(out.Items, f.node())
	}
	return out
}

func exportAges(steps []retry.AgeStep) *yamltree.Node {
	f := &fields{}
	for _, s := range steps {
		f.set(times.FormatDuration(s.Until), scalar(times.FormatDuration(s.Wait)))
	}
	return f.node()
}

func exportSplit(f *fields, s *Split) error {
	if s == nil {
		return nil
	}
	split := &fields{}
	if len(s.Items) > 0 {
		items := &yamltree.Node{Kind: yamltree.List}
		for _, r := range s.Items {
			n, err := exportRow(s, r)
			if err != nil {
				return err
			}
			items.Items = append(items.Items, n)
		}
		split.set("items", items)
	}
	split.text("file", s.File)
	split.text("ask", s.Ask)
	split.text("key", s.Key)
	split.text("label", s.Label)
	split.texts("include", s.Include)
	split.texts("exclude", s.Exclude)
	f.set("split", split.node())
	return nil
}

// exportRow writes a row as it was given: its params and what is said of the
// item.
func exportRow(s *Split, r Row) (*yamltree.Node, error) {
	v, err := decodeJSON(orObject(r.Params))
	if err != nil {
		return nil, err
	}
	n := yamltree.FromJSON(v)
	f := &fields{members: n.Members}
	for _, own := range []struct{ column, text string }{{s.Key, r.Key}, {orWord(s.Label, "label"), r.Label}, {"paused", r.Paused}, {"was", r.Was}} {
		if own.column != "" && !f.node().Has(own.column) {
			f.text(own.column, own.text)
		}
	}
	if e := r.Expect; e != nil {
		for _, m := range exportExpectation(*e, true).Members {
			f.set("expect."+m.Key, m.Value)
		}
	}
	if r.Tolerate != nil {
		f.set("tolerate.records", exportCount(*r.Tolerate))
	}
	return f.node(), nil
}

func orObject(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}
