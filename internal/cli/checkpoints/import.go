package checkpoints

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/takeover"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// NewImport makes `starter import`, with importers of what has no positions.
func NewImport(p *program.Program, others ...*cobra.Command) *cobra.Command {
	return program.Group("import", "Take a harvest over from another harvester",
		"Write campaigns of what another harvester collects. From VuFind and metha the\npositions come too, from which it goes on here: nothing is fetched a second\ntime. What cannot be taken over is listed, line by line.",
		"  starter import vufind /usr/local/vufind/local/harvest/oai.ini",
		append(others, newImportVuFind(p), newImportMetha(p))...)
}

// importer is what both have in common: where the result goes.
type importer struct {
	*program.Program
	campaign  string
	write     string
	positions string
	apply     bool
}

func (c *importer) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.campaign, "campaign", "repositories", "name of the campaign")
	f.StringVar(&c.write, "write", "", "write the campaign to this file, its items to a CSV beside it")
	f.StringVar(&c.positions, "positions", "", "write a CSV for checkpoints set --file")
	f.BoolVar(&c.apply, "apply", false, "set the checkpoints now; the campaign is applied already")
	c.CompleteFlag(cmd, "campaign", c.CompleteCampaigns)
}

func newImportVuFind(p *program.Program) *cobra.Command {
	c := &importer{Program: p}
	var dir string
	cmd := &cobra.Command{
		Use: "vufind OAI.INI", Short: "Take over what VuFindHarvest collects",
		Long: `Read oai.ini and, in the folder of each section, last_harvest.txt and
last_state.txt. An item for each section, and for each set where there are
several. The campaign goes to standard output, or to a file with --write.`,
		Example: "  starter import vufind oai.ini --write campaigns/oai.yaml --positions from.csv",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := userfile.Read(c.Path(args[0]), program.MaxParams)
			if err != nil {
				return program.Usage("import: %w", err)
			}
			state := filepath.Dir(c.Path(args[0]))
			if dir != "" {
				state = c.Path(dir)
			}
			return c.take(cmd.Context(), takeover.VuFind(string(text), args[0], os.DirFS(state)), "VuFindHarvest")
		},
	}
	c.add(cmd)
	cmd.Flags().StringVar(&dir, "harvest", "", "folder with the folders of the sections; by default where oai.ini is")
	return cmd
}

func newImportMetha(p *program.Program) *cobra.Command {
	c := &importer{Program: p}
	cmd := &cobra.Command{
		Use: "metha [DIR]", Short: "Take over what metha collects",
		Long: `Read the base folder of metha: an item for each of its harvests, which goes on
from the last day that metha has. Default: METHA_DIR, ~/.cache/metha, ~/.metha.
Options of metha-sync stand in none of its files: say yourself what you used.`,
		Example: "  starter import metha ~/.cache/metha --write campaigns/oai.yaml --positions from.csv",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := c.methaDir(args)
			if err != nil {
				return err
			}
			found, err := takeover.Metha(os.DirFS(dir))
			if err != nil {
				return program.Usage("import: read the base folder of metha: %w", err)
			}
			return c.take(cmd.Context(), found, "metha")
		},
	}
	c.add(cmd)
	return cmd
}

func (c *importer) methaDir(args []string) (string, error) {
	if len(args) > 0 {
		return c.Path(args[0]), nil
	}
	if dir := c.Env.Getenv("METHA_DIR"); dir != "" {
		return c.Path(dir), nil
	}
	home := c.Env.Getenv("HOME")
	for _, dir := range []string{filepath.Join(home, ".cache", "metha"), filepath.Join(home, ".metha")} {
		if _, err := os.Stat(dir); home != "" && err == nil {
			return dir, nil
		}
	}
	return "", program.Usage("import metha: there is neither METHA_DIR nor ~/.cache/metha nor ~/.metha; say where: starter import metha DIR")
}

// Taken is what an import tells programs.
type Taken struct {
	Campaign  string              `json:"campaign"`
	YAML      string              `json:"yaml"`
	Items     []takeover.Source   `json:"items"`
	Positions []takeover.Position `json:"positions"`
	NotTaken  []campaigns.Problem `json:"not_taken_over"`
}

func (c *importer) take(ctx context.Context, h takeover.Harvest, from string) error {
	if err := c.notTaken(h); err != nil {
		return err
	}
	if len(h.Sources) == 0 {
		return fmt.Errorf("import from %s: there is nothing to take over", from)
	}
	if !isName(c.campaign) {
		return program.Usage("--campaign %s: small letters, digits and hyphens, at most 63", c.campaign)
	}
	list := ""
	if c.write != "" {
		list = takeover.ListName(c.write)
	}
	text, err := h.Campaign(c.campaign, from, list)
	if err != nil {
		return err
	}
	if err := c.files(h, text, list); err != nil {
		return err
	}
	if c.apply {
		return c.set(ctx, h, from)
	}
	c.Out.Value(Taken{Campaign: c.campaign, YAML: string(text), Items: h.Sources, Positions: campaignfiles.OrEmpty(h.Positions()), NotTaken: campaignfiles.OrEmpty(h.Notes)})
	if c.write == "" {
		c.Out.Printf("%s", text)
	}
	c.next(h)
	return nil
}

// isName reports whether a campaign may be called so.
func isName(name string) bool {
	return name != "" && len(name) <= 63 && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// notTaken tells people; programs find it in the value.
func (c *importer) notTaken(h takeover.Harvest) error {
	if len(h.Notes) == 0 || !c.Out.People() && !c.apply {
		return nil
	}
	c.Say("Not taken over:")
	return campaigns.PrintPlaces(c.Env.Stderr, h.Notes)
}

// files writes what was asked for.
func (c *importer) files(h takeover.Harvest, text []byte, list string) error {
	var rows, positions bytes.Buffer
	if err := errors.Join(h.WriteList(&rows), takeover.WritePositions(&positions, h.Positions())); err != nil {
		return err
	}
	var files []campaignfiles.NewFile
	if c.write != "" {
		files = append(files, campaignfiles.NewFile{Name: c.write, Content: text},
			campaignfiles.NewFile{Name: filepath.Join(filepath.Dir(c.write), list), Content: rows.Bytes()})
	}
	if c.positions != "" {
		files = append(files, campaignfiles.NewFile{Name: c.positions, Content: positions.Bytes()})
	}
	return campaignfiles.WriteNew(c.Program, files)
}

// set sets the checkpoints of the campaign in force.
func (c *importer) set(ctx context.Context, h takeover.Harvest, from string) error {
	if len(h.Positions()) == 0 {
		return fmt.Errorf("import from %s: no item has a position; they begin at their beginning", from)
	}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if _, err := scope.FindCampaign(ctx, c.Program, s, c.campaign); err != nil {
		return err
	}
	moves, problems := resumeAll(ctx, scope.NewInForce(c.Program, s), scope.ItemFlags{Campaign: c.campaign}, h.Positions(), from)
	if len(problems) > 0 {
		return campaignfiles.Refuse(c.Program, &campaigns.Loaded{Problems: problems})
	}
	return move(ctx, c.Program, s, "", moves)
}

// next says what to do with what was written.
func (c *importer) next(h takeover.Harvest) {
	at := len(h.Positions())
	c.Say("%s, %s to go on from", print.Count(len(h.Sources), "item"), print.Count(at, "position"))
	if c.write == "" {
		return
	}
	c.Say("next     starter campaigns validate %s --probe\n         starter campaigns apply %s", c.write, c.write)
	switch {
	case at == 0:
	case c.positions != "":
		c.Say("         starter checkpoints set --campaign %s --file %s", c.campaign, c.positions)
	default:
		c.Say("         the same import again with --apply: the positions")
	}
}
