package campaignfiles

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Refuse prints what is wrong with files: they are not used.
func Refuse(p *program.Program, l *campaigns.Loaded) error {
	w := p.Env.Stderr
	if p.Out.People() {
		w = p.Env.Stdout
	}
	var b strings.Builder
	if err := campaigns.PrintProblems(&b, l.Problems); err != nil {
		return err
	}
	text := strings.TrimRight(b.String(), "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	fmt.Fprintf(w, "%s%sexit %d\n", text, strings.Repeat(" ", max(2, print.Width-len(last)-len("exit 2"))), program.ExitUsage)
	return program.Quiet(program.ExitUsage)
}

// Places prints what is no error, with where it stands.
func Places(p *program.Program, head string, list []campaigns.Problem) {
	if len(list) == 0 {
		return
	}
	p.Out.Printf("%s\n", head)
	var b strings.Builder
	if err := campaigns.PrintPlaces(&b, list); err == nil {
		p.Out.Printf("%s", b.String())
	}
}

// shorten makes file names relative to the working folder: what was typed is
// what is read.
func shorten(p *program.Program, l *campaigns.Loaded) {
	short := func(name *string) {
		if p.Env.Dir == "" || *name == "" {
			return
		}
		if rel, err := filepath.Rel(p.Env.Dir, *name); err == nil && !strings.HasPrefix(rel, "..") {
			*name = rel
		}
	}
	for i := range l.Files {
		short(&l.Files[i])
	}
	for i := range l.Problems {
		short(&l.Problems[i].File)
	}
	for i := range l.NotYet {
		short(&l.NotYet[i].File)
	}
	for i := range l.Hosts {
		short(&l.Hosts[i].Source)
	}
	for i := range l.Campaigns {
		s := &l.Campaigns[i]
		short(&s.File)
		for j := range s.Origins {
			short(&s.Origins[j].File)
		}
		for j := range s.NotYet {
			short(&s.NotYet[j].File)
		}
	}
}
