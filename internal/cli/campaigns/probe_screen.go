package campaigns

import (
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/survey"
)

// screen is a table for each fetcher, because facts are its own, and below it
// what is wrong in full.
func (v *surveyor) screen() {
	for from := 0; from < len(v.items); {
		until := from
		for until < len(v.items) && v.items[until].Fetcher == v.items[from].Fetcher {
			until++
		}
		v.part(v.items[from:until], from == 0 && until == len(v.items))
		from = until
	}
}

func (v *surveyor) part(items []ProbedItem, only bool) {
	if !only {
		v.Out.Printf("%s: %s\n", items[0].Fetcher, print.Count(len(items), "item"))
	}
	var answers []survey.Answer
	for _, it := range items {
		answers = append(answers, it.answer)
	}
	facts, shared := survey.Columns(answers)
	facts, left := fitting(items, facts)
	v.Out.Table(factTable(items, facts))
	for _, f := range shared {
		v.Out.Printf("all      %s %s\n", f.Name, print.Dash(print.End(print.Clean(f.Value), 60)))
	}
	if len(left) > 0 {
		v.Out.Printf("%s\n", print.Wrap("more     with -o json: "+strings.Join(left, ", "), 0, 9))
	}
	for _, it := range items {
		if it.Why != "" {
			v.Out.Printf("%s\n", print.Wrap("wrong    "+it.Item+": "+it.Why, 0, 9))
		}
	}
	v.Out.Printf("\n")
}

// fitting are the facts that the screen has room for, as columns that hold a
// day; the last ones give way.
func fitting(items []ProbedItem, facts []string) (fit, left []string) {
	wide := func(names []string) int { return factTable(items, names).Narrowest() }
	fit = facts
	for len(fit) > 0 && wide(fit) > probeWidth {
		fit = fit[:len(fit)-1]
	}
	return fit, facts[len(fit):]
}

func factTable(items []ProbedItem, facts []string) *print.Table {
	columns := []print.Column{print.Flex("ITEM"), print.Left("ANSWERS")}
	for _, name := range facts {
		fact := print.Flex(strings.ToUpper(name))
		fact.Min = len("2026-05-01")
		columns = append(columns, fact)
	}
	ms := print.Right("MS")
	ms.Min = 5
	columns = append(columns, print.Left("TLS"), ms, print.Left("WRONG"))
	t := print.NewTable(columns...).Within(probeWidth)
	for _, it := range items {
		row := []string{it.Item, it.Answers}
		for _, name := range facts {
			row = append(row, print.Dash(survey.Value(it.Facts, name)))
		}
		first := "-"
		if it.FirstMS > 0 {
			first = print.Number(it.FirstMS)
		}
		version := it.TLS
		if version == survey.BadCertificate {
			version = "bad" // WRONG says what
		}
		t.Row(append(row, print.Dash(version), first, it.Wrong)...)
	}
	return t
}
