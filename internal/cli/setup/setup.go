package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows"
)

type setup struct {
	*program.Program
	print   bool
	check   bool
	forward bool // --migrate
	create  bool
	// namespace is made when there is none, to keep ended runs for retention.
	namespace string
	retention time.Duration
}

// New makes `starter setup`.
func New(p *program.Program) *cobra.Command {
	c := &setup{Program: p, retention: defaultRetention}
	cmd := &cobra.Command{
		Use: "setup", Short: "Prepare a Temporal namespace, or the store",
		Long: `See that the namespace answers and create the search attributes that make runs
easy to find in the Web UI. Everything works without them. Creating needs
operator rights: --print writes the commands for somebody who has them.

--namespace makes a namespace where there is none, and waits until the server
takes work for it. Temporal Cloud makes them by its own tools.

--migrate speaks to the store alone: it brings its schema up to date, as a job
before the workers (--create for the first). Nothing else migrates a store in
PostgreSQL.`,
		Example: "  starter setup --namespace law --retention 14d",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.print, "print", false, "write the commands and do nothing")
	cmd.Flags().BoolVar(&c.check, "check", false, "look and change nothing; exit 1 when the namespace or the store is not ready")
	cmd.Flags().BoolVar(&c.forward, "migrate", false, "bring the store's schema up to date and do nothing else")
	cmd.Flags().BoolVar(&c.create, "create", false, "with --migrate: create the store if it does not exist")
	cmd.Flags().StringVar(&c.namespace, "namespace", "", "the namespace to prepare; it is made when there is none")
	cmd.Flags().Var((*program.SpanValue)(&c.retention), "retention", "how long a new namespace keeps what has ended")
	return cmd
}

// Ended runs stay in a new namespace for as long as the server's own tools say; a
// day is the least that servers take.
const (
	defaultRetention = 72 * time.Hour
	leastRetention   = 24 * time.Hour
)

// attributeView is a search attribute and how it stands.
type attributeView struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	State string `json:"state"` // there, absent, other type
}

func (c *setup) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	if err := c.goTogether(); err != nil {
		return err
	}
	if c.forward {
		return c.migrate(ctx)
	}
	if c.namespace != "" {
		if err := c.UseNamespace(c.namespace); err != nil {
			return err
		}
	}
	t, err := c.Target()
	if err != nil {
		return err
	}
	if c.print {
		commands := setupCommands(t, c.wanted())
		c.Out.Value(map[string]any{"target": t, "commands": commands})
		c.Out.Printf("%s\n", strings.Join(commands, "\n"))
		return nil
	}
	return c.there(ctx, t)
}

// goTogether refuses flags that do not.
func (c *setup) goTogether() error {
	switch {
	case c.print && c.check:
		return program.Usage("setup: say either --print or --check")
	case c.forward && (c.print || c.check):
		return program.Usage("setup: --migrate goes alone")
	case c.namespace != "" && (c.forward || c.check || c.print):
		return program.Usage("setup: --namespace makes one, and goes without --migrate, --check and --print")
	case c.retention < leastRetention:
		return program.Usage("setup: --retention is a day at least")
	case c.create && !c.forward:
		return program.Usage("setup: --create makes a store, and goes with --migrate")
	default:
		return nil
	}
}

// there looks at the namespace and makes what is absent, or with --check looks at
// the store too and makes nothing.
func (c *setup) there(ctx context.Context, t engine.Target) error {
	c.Announce("target   " + t.String())
	e, err := c.Engine(ctx)
	if err != nil {
		return err
	}
	if err := c.makeNamespace(ctx, e, t); err != nil {
		return err
	}
	if err := e.Check(ctx); err != nil {
		return err
	}
	views, absent, err := c.attributes(ctx, e)
	if err != nil {
		return err
	}
	if len(absent) > 0 && !c.check {
		return c.add(ctx, e, t, absent)
	}
	told := map[string]any{"target": t, "search_attributes": views}
	if !c.check {
		c.Out.Value(told)
		c.tell(views, t, absent)
		return nil
	}
	found, err := c.look(ctx)
	told["store"] = found
	c.Out.Value(told)
	c.tell(views, t, absent)
	if err == nil {
		c.Out.Printf("\n%s: schema version %d, %s\n", found.Store, found.Schema, found.State)
	}
	return err
}

// makeNamespace makes the one that --namespace names.
func (c *setup) makeNamespace(ctx context.Context, e program.Engine, t engine.Target) error {
	if c.namespace == "" {
		return nil
	}
	if !t.Loopback() {
		if err := c.Confirm("make namespace " + c.namespace + " where there is none"); err != nil {
			return err
		}
	}
	made, err := e.MakeNamespace(ctx, c.retention)
	if errors.Is(err, engine.ErrForbidden) || errors.Is(err, engine.ErrUnsupported) {
		return fmt.Errorf("%w; somebody with the rights can run:\n  temporal operator namespace create --address %s --namespace %s --retention %s", err, t.Address, c.namespace, c.retention)
	}
	if err != nil {
		return err
	}
	if made {
		c.Announce(fmt.Sprintf("made     namespace %s, which keeps what has ended for %s", c.namespace, print.Duration(c.retention)))
	}
	return nil
}

// wanted are our search attributes under the names that the settings give them.
func (c *setup) wanted() []workflows.Attribute {
	names := c.Instance().Attributes
	var out []workflows.Attribute
	for _, a := range workflows.Attributes() {
		if name := names[a.Name]; name != "" {
			out = append(out, workflows.Attribute{Name: name, Type: a.Type})
		}
	}
	return out
}

func (c *setup) attributes(ctx context.Context, e program.Engine) (views []attributeView, absent []workflows.Attribute, err error) {
	have, err := e.SearchAttributes(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, a := range c.wanted() {
		v := attributeView{Name: a.Name, Type: a.Type, State: "there"}
		switch kind, ok := have[a.Name]; {
		case !ok:
			v.State = "absent"
			absent = append(absent, a)
		case kind != a.Type:
			v.State = "is a " + kind
		}
		views = append(views, v)
	}
	return views, absent, nil
}

func (c *setup) tell(views []attributeView, t engine.Target, absent []workflows.Attribute) {
	table := print.NewTable(print.Left("SEARCH ATTRIBUTE"), print.Left("TYPE"), print.Left("STATE"))
	for _, v := range views {
		table.Row(v.Name, v.Type, v.State)
	}
	c.Out.Printf("the namespace answers\n")
	c.Out.Table(table)
	if len(absent) > 0 {
		c.Out.Printf("\nEverything works without them; runs are harder to find in the Web UI.\nCreate them: starter setup, or\n  %s\n",
			strings.Join(setupCommands(t, absent), "\n  "))
	}
}

func (c *setup) add(ctx context.Context, e program.Engine, t engine.Target, absent []workflows.Attribute) error {
	if !t.Loopback() {
		if err := c.Confirm("create " + print.Count(len(absent), "search attribute")); err != nil {
			return err
		}
	}
	err := e.AddSearchAttributes(ctx, absent)
	if errors.Is(err, engine.ErrForbidden) || errors.Is(err, engine.ErrUnsupported) {
		return fmt.Errorf("%w; everything works without them; somebody with operator rights can run:\n  %s", err, strings.Join(setupCommands(t, absent), "\n  "))
	}
	if err != nil {
		return err
	}
	views, _, err := c.attributes(ctx, e)
	if err != nil {
		return err
	}
	c.Out.Value(map[string]any{"target": t, "search_attributes": views, "created": len(absent)})
	c.Out.Printf("the namespace answers; %s created\n", print.Count(len(absent), "search attribute"))
	return nil
}

// setupCommands are the same for somebody with more rights, by the temporal CLI.
func setupCommands(t engine.Target, attributes []workflows.Attribute) []string {
	var out []string
	for _, a := range attributes {
		out = append(out, fmt.Sprintf("temporal operator search-attribute create --address %s --namespace %s --name %s --type %s", t.Address, t.Namespace, a.Name, a.Type))
	}
	return out
}
