package campaignfiles

import (
	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// Lookup makes the fetchers known to the file format.
func Lookup(p *program.Program) campaigns.Lookup {
	return func(name string) (campaigns.FetcherInfo, error) {
		k, err := p.Env.Fetchers.Find(name)
		if err != nil {
			return campaigns.FetcherInfo{}, err
		}
		return infoOf(k), nil
	}
}

func infoOf(k fetchers.Kind) campaigns.FetcherInfo {
	return campaigns.FetcherInfo{Name: k.Name, Description: k.Description, Splitter: k.Splitter(), Exhaustive: k.Exhaustive(), Continuer: k.Continuer()}
}

func Kinds(p *program.Program) []campaigns.FetcherInfo {
	var out []campaigns.FetcherInfo
	for _, k := range p.Env.Fetchers.All() {
		out = append(out, infoOf(k))
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
