package begin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/store"
)

type initialise struct{ *program.Program }

// New makes `starter init`.
func New(p *program.Program) *cobra.Command {
	c := &initialise{p}
	return &cobra.Command{
		Use: "init [FOLDER]", Short: "Make a folder to begin in",
		Long: `Make a folder with a first campaign file, the schema that editors check it by,
the settings, and an empty store in .vendemmia. What is there already is kept as
it is. A folder that holds other things asks first.`,
		Example: "  starter init ~/harvest",
		Args:    cobra.MaximumNArgs(1), RunE: c.run,
	}
}

const firstCampaigns = `# yaml-language-server: $schema=campaigns.schema.json
#
# What is collected, from where and when. See what an address is, and the lines
# to put here:   starter probe https://www.example.org/news.xml
# Check:         starter campaigns validate
# Look at it:    starter campaigns try campaigns/main.yaml
# Make it so:    starter campaigns plan, then starter campaigns apply
project: %s

hosts:
  "*": { every: 1s, connections: 2 }    # how every host is treated

defaults:
  # owner: you@example.org              # whom a source may ask; in the User-Agent
  schedule: { time_zone: %s }

campaigns:
  example:
    description: The news of example.org
    schedule: every 6h
    fetcher: feed
    params: { url: "https://www.example.org/news.xml" }
    paused: "an example: put an address of yours, then take this line out"
`

// firstSettings lists every setting with its default, all of them commented.
func firstSettings() []byte {
	var b bytes.Buffer
	b.WriteString("# Settings of worker and starter. A flag outranks the environment, that this\n" +
		"# file, that the default. Found from the working folder upwards;\n# another one: --config-file or " + config.ConfigFileEnv + "\n")
	for _, k := range config.All() {
		fmt.Fprintf(&b, "\n# %s\n# %s: %s\n", k.Help, k.Name, k.Default)
	}
	return b.Bytes()
}

const firstIgnore = ".vendemmia/\n"

// made is what init did with one file.
type made struct {
	File  string `json:"file"`
	State string `json:"state"` // new, kept
}

func (c *initialise) run(cmd *cobra.Command, args []string) error {
	folder := "."
	if len(args) > 0 {
		folder = args[0]
	}
	if err := c.free(folder); err != nil {
		return err
	}
	files, err := c.files(c.Path(folder))
	if err != nil {
		return err
	}
	var done []made
	for _, f := range files {
		m, err := c.write(filepath.Join(folder, f.name), f.content)
		if err != nil {
			return err
		}
		done = append(done, m)
		c.Out.Printf("%-5s %s\n", m.State, m.File)
	}
	m, err := c.newStore(cmd.Context(), folder)
	if err != nil {
		return err
	}
	c.Out.Printf("%-5s %s\n", m.State, m.File)
	c.Out.Value(append(done, m))
	c.Out.Printf("\nNext: starter probe URL, and put what it prints into %s\n", filepath.Join(folder, "campaigns", "main.yaml"))
	return nil
}

// free asks before a folder that holds other things is begun in.
func (c *initialise) free(folder string) error {
	entries, err := os.ReadDir(c.Path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	var others []string
	for _, e := range entries {
		if e.Name() == config.SettingsFile {
			return nil // begun before
		}
		if !mayStand(e.Name()) {
			others = append(others, e.Name())
		}
	}
	if len(others) == 0 {
		return nil
	}
	return c.Confirm(fmt.Sprintf("%s holds already: %s; make a harvest in it", folder, print.Some(others)))
}

// mayStand: what a new folder under version control begins with is nobody's
// project yet.
func mayStand(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "README") || strings.HasPrefix(name, "LICENSE")
}

// newStore makes the folder's own store, unless the settings name another.
func (c *initialise) newStore(ctx context.Context, folder string) (made, error) {
	conf, err := c.Settings()
	if err != nil {
		return made{}, err
	}
	if conf.Origin("store") != "default" {
		return made{c.Relative(conf.Store), "kept"}, nil
	}
	name := filepath.Join(folder, strings.TrimPrefix(config.DefaultStore, "sqlite:"))
	if _, err := os.Stat(c.Path(name)); err == nil {
		return made{name, "kept"}, nil
	}
	s, err := store.Open(ctx, "sqlite:"+c.Path(name), store.Options{Create: true})
	if err != nil {
		return made{}, err
	}
	return made{name, "new"}, s.Close()
}

type newFile struct {
	name    string
	content []byte
}

func (c *initialise) files(folder string) ([]newFile, error) {
	schema, err := campaigns.Schema(campaignfiles.Kinds(c.Program))
	if err != nil {
		return nil, err
	}
	zone := c.Env.Zone.String()
	if zone == "Local" || zone == "" {
		zone = "UTC"
	}
	main := fmt.Sprintf(firstCampaigns, projectName(folder), zone)
	return []newFile{
		{"campaigns/main.yaml", []byte(main)},
		{"campaigns/campaigns.schema.json", append(bytes.TrimRight(schema, "\n"), '\n')},
		{config.SettingsFile, firstSettings()},
		{".gitignore", []byte(firstIgnore)},
	}, nil
}

// projectName makes a name of the folder's.
func projectName(folder string) string {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "harvest"
	}
	return campaignfiles.CampaignName("http://" + filepath.Base(abs))
}

func (c *initialise) write(name string, content []byte) (made, error) {
	path := c.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return made{}, fmt.Errorf("init: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return made{name, "kept"}, nil
	}
	if err != nil {
		return made{}, fmt.Errorf("init: %w", err)
	}
	_, err = f.Write(content)
	return made{name, "new"}, errors.Join(err, f.Close())
}
