package source

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/spf13/pflag"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// NetworkFlags say how a command that asks the network itself may do so.
type NetworkFlags struct {
	allow   []string
	contact string
	Timeout time.Duration
	signIn  string
}

// AddAuth adds the flag of commands that name a source without a campaign.
func (n *NetworkFlags) AddAuth(f *pflag.FlagSet) {
	f.StringVar(&n.signIn, "auth", "", "how to sign in, as auth in a campaign file; secrets by reference")
}

// Auth is the sign-in of the flag, for the hosts of these addresses; nil without.
func (n *NetworkFlags) Auth(addresses []string) (*visit.Auth, error) {
	if n.signIn == "" {
		return nil, nil
	}
	a, err := campaigns.ParseAuth(n.signIn)
	if err != nil {
		return nil, program.Usage("--auth: %s", err)
	}
	if a = a.WithOrigins(addresses); len(a.To) == 0 {
		return nil, program.Usage("--auth: there is no address among the params, so no host to send it to")
	}
	return a, nil
}

// Visitor is who asks for a kind of source.
func (n NetworkFlags) Visitor(kind fetchers.Kind, record func(visit.Exchange)) visit.Visitor {
	return visit.Visitor{Contact: n.contact, Timeout: n.Timeout, Robots: !kind.Protocol, Record: record}
}

func (n NetworkFlags) prefixes() ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range n.allow {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, program.Usage("--allow-network %q: write a network like 10.3.0.0/16", text)
		}
		out = append(out, prefix)
	}
	return out, nil
}

// Polite makes the client that asks the network; what the flags leave open is
// taken from the settings.
func Polite(p *program.Program, n *NetworkFlags) (*polite.Client, error) { return PoliteBy(p, n, nil) }

// PoliteBy is polite with rules for hosts.
func PoliteBy(p *program.Program, n *NetworkFlags, rules func(host string) polite.Rule) (*polite.Client, error) {
	c, err := p.Settings()
	if err != nil {
		return nil, err
	}
	allow, err := n.prefixes()
	if err != nil {
		return nil, err
	}
	n.contact = cmp.Or(n.contact, c.Contact)
	return polite.New(polite.Settings{
		Product: cmp.Or(c.Product, "Vendemmia/"+p.Env.Version), Allow: append(allow, c.AllowNetwork...), MaxBody: c.MaxBody, Rules: rules,
	}), nil
}

func (n *NetworkFlags) Add(f *pflag.FlagSet) {
	f.StringArrayVar(&n.allow, "allow-network", nil, "network that may be asked though private or of this machine (CIDR); may be repeated")
	f.StringVar(&n.contact, "contact", "", "mail or address for the User-Agent: whom a source may ask")
	n.Timeout = time.Minute
	f.Var((*program.SpanValue)(&n.Timeout), "timeout", "how long one request may take")
}
