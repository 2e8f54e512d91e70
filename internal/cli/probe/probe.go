package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

type probe struct {
	*program.Program
	network source.NetworkFlags
}

// New makes `starter probe`.
func New(p *program.Program) *cobra.Command {
	c := &probe{Program: p}
	cmd := &cobra.Command{
		Use: "probe URL", Short: "Say what is at an address and write the YAML for it",
		Long: `Ask every fetcher that can tell whether an address is its kind of source, at
most three requests each, and print the beginning of a campaign. Nothing is
stored.`,
		Example: "  starter probe https://example.org/rss.xml",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.network.Add(cmd.Flags())
	c.network.AddAuth(cmd.Flags())
	return cmd
}

// found is one fetcher's finding.
type found struct {
	Fetcher string `json:"fetcher"`
	harvest.Finding
	YAML string `json:"yaml"`
}

// probed is all that was found at an address.
type probed struct {
	Address  string            `json:"address"`
	Findings []found           `json:"findings"`
	Errors   map[string]string `json:"errors,omitempty"` // by fetcher
}

func (c *probe) run(cmd *cobra.Command, args []string) error {
	u, err := url.Parse(args[0])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return program.Usage("probe %s: not an address; write https://…", harvest.Redact(args[0]))
	}
	out, err := c.ask(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	c.Out.Value(out)
	if c.Out.People() {
		c.screen(out)
	}
	if len(out.Findings) == 0 {
		return nothingThere(out)
	}
	return nil
}

func (c *probe) ask(ctx context.Context, address string) (probed, error) {
	client, err := source.Polite(c.Program, &c.network)
	if err != nil {
		return probed{}, err
	}
	defer client.Close()
	auth, err := c.network.Auth([]string{address})
	if err != nil {
		return probed{}, err
	}
	signIn, hidden, err := source.ResolveAuth(c.Program, auth)
	if err != nil {
		return probed{}, err
	}
	hides := secrets.NewGrowing(append(hidden, secrets.Secret{Ref: references.PasswordReference, Value: references.Password(address)}))
	out := probed{Address: harvest.Redact(address), Findings: []found{}, Errors: map[string]string{}}
	for _, k := range c.Env.Fetchers.All() {
		visitor := c.network.Visitor(k, nil)
		visitor.Auth, visitor.Granted = signIn, hides.Granted
		prober, ok := k.New(client.HTTP(visitor)).(harvest.Prober)
		if !ok {
			continue
		}
		f, err := prober.Probe(ctx, address)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			out.Errors[k.Name] = hides.Mask().Text(met(auth.Explain(err)))
			continue
		}
		if f.Sure > 0 {
			f.Title, f.Detail = hides.Mask().Text(f.Title), hides.Mask().Text(f.Detail)
			out.Findings = append(out.Findings, found{Fetcher: k.Name, Finding: f, YAML: Snippet(address, k.Name, f)})
			out.Findings[len(out.Findings)-1].Params = shownParams(f.Params)
		}
	}
	slices.SortStableFunc(out.Findings, func(a, b found) int { return cmp.Compare(b.Sure, a.Sure) })
	return out, nil
}

// met is what a fetcher met, without what the client of HTTP says of its own, and
// with the option of this command in place of the worker's.
func met(err error) string {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return strings.ReplaceAll(err.Error(), "worker --allow-network", "--allow-network")
}

// nothingThere explains an empty answer. All fetchers have met the same, each in
// its own words: the shortest are printed, -o json has all.
func nothingThere(out probed) error {
	texts := slices.SortedFunc(maps.Values(out.Errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	if len(texts) > 0 {
		return fmt.Errorf("probe %s: %s", out.Address, texts[0])
	}
	return errors.New("probe " + out.Address + ": it answers, but no fetcher knows this kind of source; `starter fetchers list` has them all")
}

func (c *probe) screen(out probed) {
	for i, f := range out.Findings {
		if i > 0 {
			c.Out.Printf("or for %s (%s): %s\n", f.Fetcher, certainty(f.Sure), print.Clean(f.Detail))
			continue
		}
		c.Out.Printf("%s\n", print.Wrap(fmt.Sprintf("%s looks like a source for %s (%s)", out.Address, f.Fetcher, certainty(f.Sure)), 0, 0))
		if f.Title != "" {
			c.Out.Printf("title    %s\n", print.Wrap(f.Title, 9, 9))
		}
		if f.Detail != "" {
			c.Out.Printf("detail   %s\n", print.Wrap(f.Detail, 9, 9))
		}
		c.Out.Printf("\n%s\n", f.YAML)
	}
	if len(out.Findings) > 0 {
		c.Out.Printf("Put it into campaigns/main.yaml, then: starter campaigns try campaigns/main.yaml\n")
	}
}

// certainty puts a finding's percentage in a word.
func certainty(sure int) string {
	switch {
	case sure >= 90:
		return "certain"
	case sure >= 50:
		return "likely"
	default:
		return "possible"
	}
}

// shownParams are params without passwords.
func shownParams(raw json.RawMessage) json.RawMessage {
	if references.AddressWithPassword(raw) == "" {
		return raw
	}
	out, err := references.MapAllStrings(raw, func(s string) string { return references.ReplacePassword(s, references.PasswordReference) })
	if err != nil {
		return nil
	}
	return out
}

// fileText is foreign text as a campaign file may hold it: it refers to nothing, and
// a password is a reference.
func fileText(text string) string {
	return references.ReplacePassword(references.Escape(text), references.PasswordReference)
}

// Snippet is the beginning of a campaign file.
func Snippet(address, fetcher string, f harvest.Finding) string {
	var params map[string]any
	// What a source says of itself must not refer to secrets once it stands in a file.
	literal, err := references.MapAllStrings(f.Params, fileText)
	if err != nil || json.Unmarshal(literal, &params) != nil || len(params) == 0 {
		params = map[string]any{"url": fileText(address)}
	}
	for name, v := range params {
		if n, ok := v.(float64); ok && n == math.Trunc(n) {
			params[name] = int64(n)
		}
	}
	body := yaml.MapSlice{
		{Key: "schedule", Value: "every 6h"},
		{Key: "fetcher", Value: fetcher},
		{Key: "params", Value: sorted(params)},
	}
	if f.Title != "" {
		body = append(yaml.MapSlice{{Key: "description", Value: print.End(print.Clean(f.Title), 60)}}, body...)
	}
	b, err := yaml.MarshalWithOptions(yaml.MapSlice{{Key: "campaigns", Value: yaml.MapSlice{{Key: campaignfiles.CampaignName(address), Value: body}}}}, yaml.Indent(2))
	if err != nil {
		return ""
	}
	return string(b)
}

func sorted(m map[string]any) yaml.MapSlice {
	var out yaml.MapSlice
	for k, v := range m {
		out = append(out, yaml.MapItem{Key: k, Value: v})
	}
	slices.SortFunc(out, func(a, b yaml.MapItem) int { return strings.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
	return out
}
