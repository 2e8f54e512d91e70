package campaignfiles

import (
	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/lookup"
)

// Lookup makes the fetchers known to the file format.
func Lookup(p *program.Program) campaigns.Lookup {
	return lookup.Of(p.Env.Fetchers)
}

func Kinds(p *program.Program) []campaigns.FetcherInfo {
	var out []campaigns.FetcherInfo
	for _, k := range p.Env.Fetchers.All() {
		out = append(out, lookup.Info(k))
	}
	return out
}

// Load reads campaign files; none named is the folder campaigns.
func Load(p *program.Program, args []string) (*campaigns.Loaded, error) {
	if len(args) == 0 {
		args = []string{"campaigns"}
	}
	paths := make([]string, len(args))
	for i, a := range args {
		paths[i] = p.Path(a)
	}
	l, err := campaigns.Load(paths, Lookup(p))
	if err != nil {
		return nil, program.Usage("%w", err)
	}
	shorten(p, l)
	return l, nil
}
