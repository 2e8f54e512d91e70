package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/trial"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

type fetchersTry struct {
	*program
	given      []string
	checkpoint string
	limit      int
	from       string
	until      string
	again      bool
	strict     bool
	network    networkFlags
}

func newFetchersTry(p *program) *cobra.Command {
	c := &fetchersTry{program: p}
	cmd := &cobra.Command{
		Use: "try NAME", Short: "Run a fetcher once and print what it brings",
		Long: `Run a fetcher once, without Temporal and without a store: documents go to
standard output, one per line as JSON; the last checkpoint and the counts to
standard error. Nothing is kept. Exit code 0 when it ended well, 3 when not.`,
		Example: "  starter fetchers try feed --params url=https://example.org/rss.xml --limit 3",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.completeFetchers,
	}
	f := cmd.Flags()
	addParams(f, &c.given)
	f.StringVar(&c.checkpoint, "checkpoint", "", "go on from this checkpoint (JSON)")
	f.IntVar(&c.limit, "limit", trial.DefaultLimit, "end after so many documents, or 100 pages; 0: all")
	f.StringVar(&c.from, "from", "", "nothing older than this time")
	f.StringVar(&c.until, "until", "", "only what is older than this time")
	f.BoolVar(&c.again, "again", false, "ask for everything once more, whatever the checkpoint says")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when the outcome is a warning")
	c.network.add(f)
	return cmd
}

func (c *fetchersTry) run(cmd *cobra.Command, args []string) error {
	kind, err := c.env.Fetchers.Find(args[0])
	if err != nil {
		return usage("%w", err)
	}
	req, err := c.request(kind, args[0])
	if err != nil {
		return err
	}
	return c.try(cmd.Context(), kind, req, c.network, c.strict)
}

// request is for a fetcher by one of its names.
func (c *fetchersTry) request(kind fetchers.Kind, name string) (harvest.Request, error) {
	req := harvest.Request{Item: kind.Name, Limit: c.limit, Again: c.again}
	if c.limit < 0 {
		return req, usage("--limit %d: must not be negative", c.limit)
	}
	var err error
	if req.Params, err = c.params(c.given, orNone(kind.Fields())); err != nil {
		return req, err
	}
	if req.Params, err = kind.Imply(name, req.Params); err != nil {
		return req, err
	}
	if req.Window, err = c.window(c.from, c.until); err != nil {
		return req, err
	}
	if c.checkpoint != "" {
		if !json.Valid([]byte(c.checkpoint)) {
			return req, usage("--checkpoint: not JSON: %s", print.End(c.checkpoint, 60))
		}
		req.Checkpoint = json.RawMessage(c.checkpoint)
	}
	return req, checkParams(kind, req.Params)
}

func orNone(f []harvest.Field) []harvest.Field {
	if f == nil {
		return []harvest.Field{}
	}
	return f
}

// checkParams returns everything wrong with params as one usage error.
func checkParams(kind fetchers.Kind, params json.RawMessage) error {
	problems := harvest.CheckParams(params, kind.Params)
	if len(problems) == 0 {
		return nil
	}
	text := ""
	for _, pr := range problems {
		field := "params"
		if pr.Field != "" {
			field += "." + pr.Field
		}
		text += fmt.Sprintf("\n  %s  %s", field, pr.Text)
	}
	return usage("%s: %s with the params:%s\nsee `starter fetchers show %s`", kind.Name, print.Count(len(problems), "problem"), text, kind.Name)
}

// try fetches with a polite client and writes what comes.
func (p *program) try(ctx context.Context, kind fetchers.Kind, req harvest.Request, n networkFlags, strict bool) error {
	client, err := p.polite(&n)
	if err != nil {
		return err
	}
	defer client.Close()
	params, found, err := p.resolveSecrets(req.Params)
	if err != nil {
		return err
	}
	req.Params = params
	mask, rec, moves := found.Mask(), &trial.Recorder{}, &harvest.Moves{}
	req.Checkpoint = mask.Restore(req.Checkpoint)
	list := p.lines()
	visitor := n.visitor(kind, rec.Record)
	visitor.Moved = moves.Note
	show := func(page harvest.Page) harvest.Page {
		page.Warnings = append(moves.Warnings(params), page.Warnings...)
		return mask.Page(page)
	}
	t, err := trial.Run(ctx, kind.New(client.HTTP(visitor)), req, rec, show, func(d *harvest.Document) error {
		list.Add(harvest.NewLine(kind.Name, d))
		return p.out.Err()
	})
	list.End()
	if err != nil {
		return fmt.Errorf("write documents: %w", err)
	}
	p.report(t, mask)
	return tryExit(t.Outcome, strict)
}

// lines is a list of one value per line, also for people.
func (p *program) lines() *print.List {
	if p.out.People() {
		p.out = print.New(p.env.Stdout, print.JSONL)
	}
	return p.out.List()
}

func (p *program) report(t trial.Trial, mask *secrets.Mask) {
	for _, r := range t.Rejects {
		p.say("unreadable  %s: %s", print.Dash(print.Clean(r.ID)), print.Clean(r.Reason))
	}
	for _, w := range t.Warnings {
		p.say("warning     %s", print.Clean(w))
	}
	if len(t.Checkpoint) > 0 {
		p.say("checkpoint  %s", t.Checkpoint)
	}
	p.say("%-11s %s", t.Outcome, trialCounts(t))
	if t.Stopped {
		p.say("stopped     at the limit, there may be more: --limit N ends after N documents, --limit 0 reads all")
	}
	if t.Err != nil {
		p.say("why         %s: %s", t.Err.Kind, print.Clean(mask.Text(t.Err.Error())))
		if t.Err.RetryAfter > 0 {
			p.say("            the source asks to be left alone for %s", print.Duration(t.Err.RetryAfter))
		}
	}
}

func trialCounts(t trial.Trial) string {
	text := print.Count(t.Tally.New, "document")
	if t.Tally.Deleted > 0 {
		text += " · " + print.Number(t.Tally.Deleted) + " deleted"
	}
	if t.Tally.Quarantined > 0 {
		text += " · " + print.Number(t.Tally.Quarantined) + " unreadable"
	}
	return text + fmt.Sprintf(" · %s listed · %s · %s · %s · %s", print.Number(t.Tally.Listed), print.Count(t.Tally.Pages, "page"),
		print.Count(t.Tally.Asked, "request"), print.Bytes(t.Tally.Bytes), print.Duration(t.Took.Round(100*time.Millisecond)))
}

func tryExit(o harvest.Outcome, strict bool) error {
	switch {
	case o == harvest.OutcomeCancelled:
		return quiet(exitInterrupted)
	case o.Severity() == harvest.Bad:
		return quiet(exitRunFailed)
	case o.Severity() == harvest.Warn && strict:
		return quiet(exitWarnings)
	default:
		return nil
	}
}

// networkFlags say how a command that asks the network itself may do so.
type networkFlags struct {
	allow   []string
	contact string
	timeout time.Duration
}

// visitor is who asks for a kind of source.
func (n networkFlags) visitor(kind fetchers.Kind, record func(harvest.Exchange)) harvest.Visitor {
	return harvest.Visitor{Contact: n.contact, Timeout: n.timeout, Robots: !kind.Protocol, Record: record}
}

func (n networkFlags) prefixes() ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range n.allow {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, usage("--allow-network %q: write a network like 10.3.0.0/16", text)
		}
		out = append(out, prefix)
	}
	return out, nil
}

// polite makes the client that asks the network; what the flags leave open is
// taken from the settings.
func (p *program) polite(n *networkFlags) (*polite.Client, error) { return p.politeBy(n, nil) }

// politeBy is polite with rules for hosts.
func (p *program) politeBy(n *networkFlags, rules func(host string) polite.Rule) (*polite.Client, error) {
	c, err := p.settings()
	if err != nil {
		return nil, err
	}
	allow, err := n.prefixes()
	if err != nil {
		return nil, err
	}
	n.contact = cmp.Or(n.contact, c.Contact)
	return polite.New(polite.Settings{
		Product: cmp.Or(c.Product, "Vendemmia/"+p.env.Version), Allow: append(allow, c.AllowNetwork...), MaxBody: c.MaxBody, Rules: rules,
	}), nil
}
