package documents

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/export"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
)

// filesFlags say how documents become files.
type filesFlags struct {
	as     string
	to     string
	layout string
	batch  int
}

func (f *filesFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.as, "as", "lines", "lines or files")
	flags.StringVar(&f.to, "to", "", "with --as files: the folder to write into")
	flags.StringVar(&f.layout, "layout", string(export.Flat), "with --as files: flat, hash (ab/cd) or days (2026/05/01, of the change)")
	flags.IntVar(&f.batch, "batch", 0, "with --as files: so many records in one file, 0: one file each")
	program.Complete(cmd, "as", "lines", "files")
	program.Complete(cmd, "layout", export.Layouts()...)
	program.Must(cmd.MarkFlagDirname("to"))
}

// files tells whether files are wanted, and that nothing else is.
func (c *documentsExport) files(cmd *cobra.Command) (bool, error) {
	var odd []string
	names := []string{"to", "layout", "batch"}
	if c.as == "files" {
		names = []string{"entry", "item", "since", "deleted", "limit"}
	}
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			odd = append(odd, "--"+name)
		}
	}
	switch {
	case c.as == "lines" && len(odd) > 0:
		return false, program.Usage("documents export: %s goes with --as files", strings.Join(odd, ", "))
	case c.as == "lines":
		return false, nil
	case c.as != "files":
		return false, program.Usage("--as %s: lines or files", c.as)
	case len(odd) > 0:
		return false, program.Usage("documents export --as files follows all changes of a campaign or collection; %s does not go with it", strings.Join(odd, ", "))
	case c.to == "":
		return false, program.Usage("documents export --as files: say where: --to DIR")
	case !slices.Contains(export.Layouts(), c.layout):
		return false, program.Usage("--layout %s: one of %s", c.layout, strings.Join(export.Layouts(), ", "))
	case c.batch < 0 || c.batch > 1_000_000:
		return false, program.Usage("--batch %d: from 1 to 1,000,000; 0: one file each", c.batch)
	case c.batch > 0 && c.layout != string(export.Flat):
		return false, program.Usage("--layout %s: batches stand in one folder, --layout flat", c.layout)
	}
	return true, nil
}

// writeFiles writes what changed since the last call as files.
func (c *documentsExport) writeFiles(ctx context.Context) error {
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if begun, err := os.ReadDir(c.Path(c.to)); err != nil || len(begun) == 0 { // a folder that is begun knows whose it is
		if err := cmp.Or(scope.CheckCampaign(ctx, c.Program, s, c.campaign), checkCollection(ctx, c.Program, s, c.collection)); err != nil {
			return err
		}
	}
	bar, start := watch.NewProgress(c.Program), c.Env.Now()
	o := export.Options{Dir: c.Path(c.to), Layout: export.Layout(c.layout), Batch: c.batch, Campaign: c.campaign, Collection: c.collection}
	if bar.Screen {
		o.Progress = func(done, total int64) {
			bar.Show("  "+print.Bar(done, total)+"  "+print.Number(done)+" of "+print.Count(total, "change"), print.Watch(c.Env.Now().Sub(start)))
		}
	}
	res, err := export.Run(ctx, s, o)
	bar.Clear()
	switch {
	case errors.Is(err, export.ErrReset):
		return &program.ExitCode{Code: program.ExitRunFailed, Err: err}
	case errors.Is(err, export.ErrOther):
		return program.Usage("documents export: %w", err)
	case err != nil:
		return err
	}
	c.wrote(res)
	return nil
}

func (c *documentsExport) wrote(res export.Result) {
	c.Out.Value(struct {
		Dir string `json:"dir"`
		export.Result
	}{c.to, res})
	c.Out.Printf("%s: %s new, %s new, %s replaced, up to change %s\n", c.to, print.Count(res.Files, "file"), print.Count(res.Deletes, ".delete file"),
		print.Number(res.Replaced), print.Number(res.After))
	if res.Loose > 0 {
		c.Out.Printf("%s not well-formed enough to stand in a batch of XML: in the .jsonl files\n", print.Count(res.Loose, "record"))
	}
	if res.Changes > 0 {
		c.Out.Printf("the same command writes what changes from now on\n")
	}
}
