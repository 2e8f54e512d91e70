package cli

import (
	"time"

	"github.com/spf13/pflag"
)

// addParams adds --params and its other name.
func addParams(f *pflag.FlagSet, given *[]string) {
	help := "params: key=value, a JSON object, or @FILE; may be repeated"
	f.StringArrayVarP(given, "params", "p", nil, help)
	f.StringArrayVar(given, "fetcher-params", nil, "the same as --params")
}

func (n *networkFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&n.allow, "allow-network", nil, "network that may be asked though private or of this machine (CIDR); may be repeated")
	f.StringVar(&n.contact, "contact", "", "mail or address for the User-Agent: whom a source may ask")
	f.DurationVar(&n.timeout, "timeout", time.Minute, "how long one request may take")
}
