package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/vendemmia/vendemmia/harvest"
)

// addParams adds --params and its other name.
func addParams(f *pflag.FlagSet, given *[]string) {
	help := "params: key=value, a JSON object, or @FILE; may be repeated"
	f.StringArrayVarP(given, "params", "p", nil, help)
	f.StringArrayVar(given, "fetcher-params", nil, "the same as --params")
}

// spanValue is a flag in the one grammar of lengths of time.
type spanValue time.Duration

func (v *spanValue) String() string {
	if *v == 0 {
		return "" // nothing that help should show
	}
	return harvest.FormatDuration(time.Duration(*v))
}
func (v *spanValue) Type() string { return "duration" }

func (v *spanValue) Set(text string) error {
	d, err := harvest.ParseDuration(text)
	*v = spanValue(d)
	return err
}

func (n *networkFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&n.allow, "allow-network", nil, "network that may be asked though private or of this machine (CIDR); may be repeated")
	f.StringVar(&n.contact, "contact", "", "mail or address for the User-Agent: whom a source may ask")
	n.timeout = time.Minute
	f.Var((*spanValue)(&n.timeout), "timeout", "how long one request may take")
}
