package program

import (
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Lines is a list of one value per line, also for people.
func (p *Program) Lines() *print.List {
	if p.Out.People() {
		p.Out = print.New(p.Env.Stdout, print.JSONL)
	}
	return p.Out.List()
}
