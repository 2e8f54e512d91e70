package gazzetta

import "github.com/PuerkitoBio/goquery"

const looseLinks = `a[href*="caricaDettaglioAtto"]`

// frame gives the links to acts that stand alone the frame that others have: those
// of one act, one after the other, are one.
func frame(doc *goquery.Document) {
	var last *goquery.Selection
	code := ""
	doc.Find(issueParts + ", " + looseLinks).Each(func(_ int, s *goquery.Selection) {
		if !s.Is("a") {
			last = nil
			return
		}
		now := codeIn(s.AttrOr("href", ""))
		switch {
		case now == "" || s.Closest("span.risultato, h2, h3").Length() > 0:
		case last != nil && now == code:
			last.AppendSelection(s)
		default:
			s.WrapHtml(`<span class="risultato"></span>`)
			last, code = s.Parent(), now
		}
	})
}
