package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type documentsDiff struct {
	oneDocument
	from, to int
	since    string
}

func newDocumentsDiff(p *program.Program) *cobra.Command {
	c := &documentsDiff{oneDocument: oneDocument{Program: p}}
	cmd := &cobra.Command{
		Use: "diff ID", Short: "Show what changed between two versions of a document",
		Long:    "Show what changed in a document, its fields and its text: from the version\nbefore to the current one, or between those that are named.",
		Example: "  starter documents diff eli:2026/05/03/26A02808/sg --from 1",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	c.add(cmd)
	cmd.Flags().IntVar(&c.from, "from", 0, "the older version; default: the one before the newer")
	cmd.Flags().IntVar(&c.to, "to", 0, "the newer version; default: the current one")
	cmd.Flags().StringVar(&c.since, "since", "", "the older version is the one of this time")
	return cmd
}

// difference is what `documents diff -o json` tells.
type difference struct {
	ID   string `json:"id"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"`
}

func (c *documentsDiff) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, versions, err := c.history(ctx, args[0], true)
	if err != nil {
		return err
	}
	older, newer, err := c.two(args[0], versions)
	if err != nil {
		return err
	}
	d := difference{ID: args[0], From: older.Version, To: newer.Version}
	if d.Diff, err = c.compare(ctx, s, older, newer); err != nil {
		return err
	}
	c.Out.Value(d)
	c.Out.Printf("%s", d.Diff)
	if d.Diff == "" {
		c.Out.Printf("(versions %d and %d are alike)\n", d.From, d.To)
	}
	return nil
}

// two picks the versions to compare.
func (c *documentsDiff) two(id string, versions []rows.Change) (older, newer rows.Document, err error) {
	to := versionFlags{version: c.to}
	if c.to == 0 && len(versions) > 0 {
		to.version = versions[0].Document.Version
	}
	if newer, err = to.pick(c.Program, id, versions); err != nil {
		return older, newer, err
	}
	from := versionFlags{version: c.from, at: c.since}
	if !from.chosen() {
		from.version = newer.Version - 1
	}
	if from.at == "" && from.version < 1 {
		return older, newer, fmt.Errorf("document %s: version %d is the first one; there is nothing to compare it with", id, newer.Version)
	}
	older, err = from.pick(c.Program, id, versions)
	return older, newer, err
}

func (c *documentsDiff) compare(ctx context.Context, s program.Store, older, newer rows.Document) (string, error) {
	var texts [2][]byte
	for i, d := range []rows.Document{older, newer} {
		body, err := bodyOf(ctx, s, d)
		if err != nil {
			return "", err
		}
		texts[i] = plainText(d, body)
	}
	name := func(d rows.Document) string {
		return fmt.Sprintf("version %d, %s", d.Version, c.Clock.NearZone(d.ChangedAt))
	}
	_, lines, _ := strings.Cut(string(diff.Diff(name(older), texts[0], name(newer), texts[1])), "\n") // the first line repeats the names
	return lines, nil
}

// plainText is a version as lines: what is known of it, then its text.
func plainText(d rows.Document, body []byte) []byte {
	var b bytes.Buffer
	line := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "<nil>" {
			fmt.Fprintf(&b, "%s: %s\n", name, text)
		}
	}
	l := d.Line
	if l.Deleted {
		line("deleted", true)
	}
	line("title", l.Title)
	line("url", l.URL)
	line("kind", l.Kind)
	line("parent", l.Parent)
	line("media_type", l.MediaType)
	if !l.Published.IsZero() {
		line("published", l.Published.UTC().Format(time.RFC3339))
	}
	for _, name := range slices.Sorted(maps.Keys(l.Fields)) {
		for _, text := range fieldLines(l.Fields[name]) {
			line(name, text)
		}
	}
	switch {
	case len(body) == 0:
	case utf8.Valid(body):
		fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(string(body), "\n"))
	default:
		line("body", fmt.Sprintf("%d bytes, %s", len(body), l.Hash))
	}
	return b.Bytes()
}

// bodyOf reads a body from where it is kept.
func bodyOf(ctx context.Context, s program.Store, d rows.Document) ([]byte, error) {
	if d.Line.Body != "" || d.Line.BodyRef == "" {
		return []byte(d.Line.Body), nil
	}
	r, err := s.Blob(ctx, d.Line.BodyRef)
	if err != nil {
		return nil, fmt.Errorf("body of %s: %w", d.Line.ID, err)
	}
	body, err := io.ReadAll(r)
	return body, errors.Join(err, r.Close())
}
