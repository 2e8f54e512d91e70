package program

import (
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/times"
)

// AddParams adds --params and its other name.
func AddParams(f *pflag.FlagSet, given *[]string) {
	help := "params: key=value, a JSON object, or @FILE; may be repeated"
	f.StringArrayVarP(given, "params", "p", nil, help)
	f.StringArrayVar(given, "fetcher-params", nil, "the same as --params")
}

// SpanValue is a flag in the one grammar of lengths of time.
type SpanValue time.Duration

func (v *SpanValue) String() string {
	if *v == 0 {
		return "" // nothing that help should show
	}
	return times.FormatDuration(time.Duration(*v))
}

func (v *SpanValue) Type() string { return "duration" }

func (v *SpanValue) Set(text string) error {
	d, err := times.ParseDuration(text)
	*v = SpanValue(d)
	return err
}

// AddFlags adds what every command takes: how to write, and the settings that
// say where store and Temporal are.
func (p *Program) AddFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVarP(&p.flags.output, "output", "o", "text", "what to write: text, json or jsonl")
	f.StringVar(&p.flags.configFile, "config-file", "", "file of settings; default: vendemmia.yaml, looked for upwards ("+config.ConfigFileEnv+")")
	f.BoolVarP(&p.flags.yes, "yes", "y", false, "do not ask before something is changed")
	for _, k := range config.All() {
		if slices.Contains(flagSettings(), k.Name) {
			f.String(k.Name, "", k.Help+" ("+k.Env()+")")
		}
	}
	p.given = func(name string) (string, bool) {
		flag := f.Lookup(name)
		return flag.Value.String(), flag.Changed
	}
	Complete(root, "output", "text", "json", "jsonl")
}
