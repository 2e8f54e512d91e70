package gazzetta

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

// pdf asks for a PDF; errNoPDF, of KindGone, where something else comes. A page
// that only shows the document leads to it.
func (s *site) pdf(ctx context.Context, address string) ([]byte, error) {
	for hop := 0; ; hop++ {
		a, err := s.get(ctx, address, acceptPDF)
		if err != nil {
			return nil, err
		}
		if isPDF(a.Body) {
			return a.Body, nil
		}
		if challenge.Is(a.Body) {
			return nil, rejected(address, &a)
		}
		next := ""
		if !strings.HasSuffix(a.Final.Path, "/notFound") {
			next = s.address(shownPDF(a.Body))
		}
		if hop > 0 || next == "" || next == address || next == s.address("/") {
			e := harvest.Errorf(harvest.KindGone, "get PDF", address, "%w", errNoPDF)
			e.Evidence = a.Evidence()
			return nil, e
		}
		address = next
	}
}

func isPDF(body []byte) bool { return bytes.Contains(body[:min(len(body), 1024)], []byte("%PDF-")) }

// shownPDF finds the document that a page shows in a frame.
func shownPDF(body []byte) string {
	doc, err := readHTML(body)
	if err != nil {
		return ""
	}
	for _, at := range []struct{ element, name string }{{"iframe", "src"}, {"embed", "src"}, {"object", "data"}, {"frame", "src"}} {
		if link, ok := doc.Find(at.element + "[" + at.name + "]").First().Attr(at.name); ok && strings.Contains(strings.ToLower(link), "pdf") {
			return link
		}
	}
	return ""
}

// lacksPDF reports an address without a PDF, for good; one that is larger than
// the worker takes counts as well.
func lacksPDF(err error) bool {
	kind := harvest.KindOf(err)
	return errors.Is(err, errNoPDF) || kind == harvest.KindGone || kind == harvest.KindBroken
}
