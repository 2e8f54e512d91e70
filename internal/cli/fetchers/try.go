package fetchers

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/cli/trial"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

type fetchersTry struct {
	*program.Program
	given      []string
	checkpoint string
	limit      int
	from       string
	until      string
	again      bool
	strict     bool
	network    source.NetworkFlags
}

func newFetchersTry(p *program.Program) *cobra.Command {
	c := &fetchersTry{Program: p}
	cmd := &cobra.Command{
		Use: "try NAME", Short: "Run a fetcher once and print what it brings",
		Long: `Run a fetcher once, without Temporal and without a store: documents go to
standard output, one per line as JSON; the last checkpoint and the counts to
standard error. Nothing is kept. Exit code 0 when it ended well, 3 when not.`,
		Example: "  starter fetchers try feed --params url=https://example.org/rss.xml --limit 3",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteFetchers,
	}
	f := cmd.Flags()
	program.AddParams(f, &c.given)
	f.StringVar(&c.checkpoint, "checkpoint", "", "go on from this checkpoint (JSON)")
	f.IntVar(&c.limit, "limit", trial.DefaultLimit, "end after so many documents, or 100 pages; 0: all")
	f.StringVar(&c.from, "from", "", "nothing older than this time")
	f.StringVar(&c.until, "until", "", "only what is older than this time")
	f.BoolVar(&c.again, "again", false, "ask for everything once more, whatever the checkpoint says")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when the outcome is a warning")
	c.network.Add(f)
	c.network.AddAuth(f)
	return cmd
}

func (c *fetchersTry) run(cmd *cobra.Command, args []string) error {
	s, err := c.Settings()
	if err != nil {
		return err
	}
	kind, err := c.Env.Fetchers.Programs(s.ExecDirs).Find(args[0])
	if err != nil {
		return program.Usage("%w", err)
	}
	req, err := c.request(kind, args[0])
	if err != nil {
		return err
	}
	auth, err := c.network.Auth(paramspec.Addresses(req.Params, kind.Params))
	if err != nil {
		return err
	}
	return source.Try(cmd.Context(), c.Program, kind, req, c.network, auth, c.strict)
}

// request is for a fetcher by one of its names.
func (c *fetchersTry) request(kind fetchers.Kind, name string) (harvest.Request, error) {
	req := harvest.Request{Item: kind.Name, Limit: c.limit, ForceRefresh: c.again}
	if c.limit < 0 {
		return req, program.Usage("--limit %d: must not be negative", c.limit)
	}
	var err error
	if req.Params, err = c.Params(c.given, source.OrNone(kind.Fields())); err != nil {
		return req, err
	}
	if req.Params, err = kind.Imply(name, req.Params); err != nil {
		return req, err
	}
	if req.Window, err = c.Window(c.from, c.until); err != nil {
		return req, err
	}
	if c.checkpoint != "" {
		if !json.Valid([]byte(c.checkpoint)) {
			return req, program.Usage("--checkpoint: not JSON: %s", print.End(c.checkpoint, 60))
		}
		req.Checkpoint = json.RawMessage(c.checkpoint)
	}
	return req, source.CheckParams(kind, req.Params)
}
