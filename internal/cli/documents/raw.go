package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/polite"
)

// writeRaw writes the page a version was read from.
func (d *oneDocument) writeRaw(cmd *cobra.Command, s program.Store, doc rows.Document) error {
	digest, err := d.rawOf(cmd.Context(), s, doc)
	if err != nil {
		return err
	}
	r, err := s.Blob(cmd.Context(), digest)
	if err != nil {
		return fmt.Errorf("page of %s: %w", doc.Line.ID, err)
	}
	_, err = io.Copy(d.Env.Stdout, r)
	return errors.Join(err, r.Close())
}

// rawOf finds in the ledger of the run that brought a version the page with the
// document's own address, else the only one its item asked for.
func (d *oneDocument) rawOf(ctx context.Context, s program.Store, doc rows.Document) (string, error) {
	run, err := scope.FindRun(ctx, d.Program, s, doc.Run)
	if err != nil {
		return "", err
	}
	own := map[string]bool{asAsked(doc.Line.URL): true, asAsked(doc.Line.ID): true}
	var found string
	pages := map[string]bool{}
	for line, err := range s.Ledger(ctx, rows.LedgerFilter{Run: run.ID}) {
		switch {
		case err != nil:
			return "", err
		case line.Raw == "" || line.Entry != doc.Entry || line.Key != doc.Key:
		case own[line.URL]:
			found = line.Raw
		default:
			pages[line.Raw] = true
		}
	}
	if found != "" {
		return found, nil
	}
	for only := range pages {
		if len(pages) == 1 {
			return only, nil
		}
	}
	return "", fmt.Errorf("document %s: of the %d pages that run %s kept for its item, none has its address; `keep: { raw: … }` of the campaign says how long pages are kept", doc.Line.ID, len(pages), doc.Run)
}

// asAsked is an address as the ledger writes it; "" is none.
func asAsked(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return polite.MaskURL(u)
}
