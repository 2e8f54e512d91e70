package fetchers

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scaffold"
)

type fetchersNew struct {
	*program.Program
	module string
	folder string
}

func newFetchersNew(p *program.Program) *cobra.Command {
	c := &fetchersNew{Program: p}
	cmd := &cobra.Command{
		Use: "new NAME", Short: "Write the files of a new fetcher",
		Long: `Write a fetcher that works, to be changed into the one you want: code, tests, a
local copy of its source, a sample campaign and a README. In a checkout of this
program it comes into the list of fetchers; make check test passes as it is.
With --module it is a repository of its own, with its own Makefile and CI, that
builds worker and starter with this fetcher. Nothing is overwritten.`,
		Example: "  starter fetchers new notices --module example.org/you/notices",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	cmd.Flags().StringVar(&c.module, "module", "", "make a repository of its own with this module path")
	cmd.Flags().StringVar(&c.folder, "folder", "", "with --module: where; default: NAME in the working folder")
	return cmd
}

// newView is a new fetcher as programs see it.
type newView struct {
	Name   string   `json:"name"`
	Module string   `json:"module,omitempty"`
	Folder string   `json:"folder"`
	Files  []string `json:"files"`
	Listed string   `json:"listed,omitempty"`
	Next   []string `json:"next"`
}

func (c *fetchersNew) run(_ *cobra.Command, args []string) error {
	f := scaffold.Fetcher{Name: args[0], Module: c.module, Version: released(c.Env.Version)}
	if err := c.free(f.Name); err != nil {
		return err
	}
	var made scaffold.Made
	var err error
	switch {
	case f.Module != "":
		folder := c.folder
		if folder == "" {
			folder = f.Name
		}
		made, err = scaffold.AsModule(c.Path(folder), f)
	case c.folder != "":
		return program.Usage("fetchers new: --folder is for --module only; in a checkout a fetcher is fetchers/NAME")
	default:
		made, err = scaffold.InCheckout(c.Env.Dir, f)
	}
	if err != nil {
		return program.Usage("fetchers new: %w", err)
	}
	c.tell(f, made)
	return nil
}

// free refuses names that this program's fetchers have, had, or are also called by.
func (c *fetchersNew) free(name string) error {
	for _, k := range c.Env.Fetchers.All() {
		words := append([]string{k.Name}, k.Aliases...)
		for old := range k.Retired {
			words = append(words, old)
		}
		for _, w := range words {
			if strings.EqualFold(w, name) {
				return program.Usage("fetchers new: %s is a name of fetcher %s; take another one, such as my%s", name, k.Name, strings.ToLower(name))
			}
		}
	}
	return nil
}

func (c *fetchersNew) tell(f scaffold.Fetcher, made scaffold.Made) {
	v := newView{Name: f.Name, Module: f.Module, Folder: made.Folder, Files: made.Files, Listed: made.Listed, Next: next(f)}
	c.Out.Value(v)
	for _, file := range v.Files {
		c.Out.Printf("new    %s\n", c.Relative(filepath.Join(v.Folder, file)))
	}
	if v.Listed != "" {
		c.Out.Printf("edited %s\n", c.Relative(filepath.Join(v.Folder, v.Listed)))
	}
	c.Out.Printf("\nNext, in %s:\n", cmp.Or(strings.TrimPrefix(c.Relative(v.Folder), "."), "this folder"))
	for _, line := range v.Next {
		c.Out.Printf("  %s\n", line)
	}
}

// next is what to type next.
func next(f scaffold.Fetcher) []string {
	switch {
	case f.Module == "":
		return []string{"go test ./fetchers/" + f.Name, "make check test"}
	case f.Version == "":
		return []string{"git init", "go get " + scaffold.Ours + "@latest", "go mod tidy", "make check test build"}
	default:
		return []string{"git init", "go mod tidy", "make check test build"}
	}
}

var release = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+$`)

// released is the version of this program if it was released, otherwise empty.
func released(version string) string {
	if !release.MatchString(version) {
		return ""
	}
	return "v" + strings.TrimPrefix(version, "v")
}
