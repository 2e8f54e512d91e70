package failures

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// failureFlags select failures.
type failureFlags struct {
	campaign, item, kind string
}

func (c *failureFlags) add(p *program.Program, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "", "only of this campaign")
	f.StringVar(&c.item, "item", "", "only of the item with this key")
	f.StringVar(&c.kind, "kind", "", "only of this kind of error")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
	program.Complete(cmd, "kind", kindNames()...)
}

func kindNames() []string {
	var out []string
	for _, k := range harvest.Kinds() {
		out = append(out, string(k))
	}
	return out
}

// filter resolves names; one that nothing has is a usage error.
func (c *failureFlags) filter(ctx context.Context, p *program.Program, s program.Store) (rows.FailureFilter, error) {
	of, key, err := scope.Narrow(ctx, p, s, scope.ItemFlags{Campaign: c.campaign}, c.item)
	if err == nil && c.kind != "" && !slices.Contains(kindNames(), c.kind) {
		err = scope.Unknown("kind", c.kind, "", kindNames(), "starter failures list --help")
	}
	return rows.FailureFilter{Campaign: of.Campaign, Key: key, Kind: harvest.Kind(c.kind)}, err
}

func failureID(verb, ref string) (int64, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(ref, "q-"), 10, 64)
	if err != nil {
		return 0, program.Usage("failures %s %s: a failure is written q-81", verb, ref)
	}
	return id, nil
}

// open finds the open failures that are named, or that the flags select: at least
// one.
func (c *failureFlags) open(ctx context.Context, p *program.Program, s program.Store, verb string, refs []string) ([]rows.Failure, error) {
	filter, err := c.filter(ctx, p, s)
	if err != nil {
		return nil, err
	}
	filter.Open = true
	if len(refs) == 0 && *c == (failureFlags{}) {
		return nil, program.Usage("failures %s: say which: ids (q-81), --campaign, --item or --kind; see `starter failures list`", verb)
	}
	for _, ref := range refs {
		id, err := failureID(verb, ref)
		if err != nil {
			return nil, err
		}
		f, err := s.Failure(ctx, id)
		if err != nil {
			return nil, err
		}
		if state := f.State(); state != "unread" {
			return nil, program.Usage("failures %s %s: it is %s already", verb, scope.FailureRef(id), state)
		}
		filter.IDs = append(filter.IDs, id)
	}
	found, err := s.Failures(ctx, filter)
	if err == nil && len(found) == 0 {
		err = program.Usage("failures %s: no open failure is selected; see `starter failures list --all`", verb)
	}
	return found, err
}

type failuresAccept struct {
	*program.Program
	failureFlags
}

func newFailuresAccept(p *program.Program) *cobra.Command {
	c := &failuresAccept{Program: p}
	cmd := &cobra.Command{
		Use: "accept [ID...]", Short: "Want no more of records that could not be read",
		Long: `Accept that records could not be read. They stay where they are, and are not
asked for again; their items are no longer partial for their sake, from the next
run on, also when the source lists the same records again.`,
		Example: "  starter failures accept --campaign news --item ansa-economia",
		RunE:    c.run,
	}
	c.add(p, cmd)
	return cmd
}

func (c *failuresAccept) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	found, err := c.open(ctx, c.Program, s, "accept", args)
	if err != nil {
		return err
	}
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	if err := s.AcceptFailures(ctx, ids...); err != nil {
		return err
	}
	items, err := c.record(ctx, s, found)
	c.Out.Value(found)
	c.Out.Printf("accepted %s of %s; what the next run meets decides how it ends\n", print.Count(len(found), "failure"), print.Count(items, "item"))
	return err
}

// record notes who accepted, an item at a time, and counts the items.
func (c *failuresAccept) record(ctx context.Context, s program.Store, found []rows.Failure) (int, error) {
	refs := map[units.Item][]string{}
	for _, f := range found {
		refs[f.Item] = append(refs[f.Item], scope.FailureRef(f.ID))
	}
	for it, list := range refs {
		slices.Sort(list)
		err := s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: "accepted failures", On: it.String(), Note: print.Some(list)})
		if err != nil {
			return len(refs), err
		}
	}
	return len(refs), nil
}

type failuresRetry struct {
	*program.Program
	failureFlags
	detach bool
	strict bool
}

func newFailuresRetry(p *program.Program) *cobra.Command {
	c := &failuresRetry{Program: p}
	cmd := &cobra.Command{
		Use: "retry [ID...]", Short: "Read records again that could not be read",
		Long: `Start a run of the items whose records could not be read. It asks for everything
that they list once more, unchanged or not, so that a fetcher that was mended
reads it again.`,
		Example: "  starter failures retry --campaign news",
		RunE:    c.run,
	}
	c.add(p, cmd)
	cmd.Flags().BoolVarP(&c.detach, "detach", "d", false, "return once it is started")
	cmd.Flags().BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	return cmd
}

func (c *failuresRetry) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	found, err := c.open(ctx, c.Program, s, "retry", args)
	if err != nil {
		return err
	}
	start := steps.Start{Campaign: found[0].Item.Campaign, ForceRefresh: true, Trigger: steps.TriggerHand, TriggeredBy: c.Who()}
	for _, f := range found {
		if f.Item.Campaign != start.Campaign {
			return program.Usage("failures retry: they are of %s and of %s; one run is of one campaign, say which with --campaign", start.Campaign, f.Item.Campaign)
		}
		if !slices.Contains(start.Items, f.Item.Key) {
			start.Items = append(start.Items, f.Item.Key)
		}
	}
	a, err := watch.AsApplied(ctx, s, start.Campaign)
	if err != nil {
		return err
	}
	return watch.StartAndWatch(ctx, c.Program, watch.Launch{Id: watch.HandID(c.Program, start.Campaign), Campaign: a.Campaign, Start: start, Detach: c.detach, Strict: c.strict})
}
