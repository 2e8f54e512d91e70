package gazzetta

import (
	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxArticles of a page leave room for the other requests of an act.
const maxArticles = 15

// act reads the i-th act of an issue, over several pages where it has many
// articles. One that may come later is put aside.
func (r *reading) act(k key, e entry, i int, last bool) error {
	a := &actReading{reading: r, to: r.adapter(k), entry: e, index: i, last: last}
	a.doc = a.to.actDocument(e)
	if r.w.At.Within == e.id {
		a.from = r.w.At.Articles
	}
	var err error
	if e.link == "" {
		err = a.printed()
	} else {
		err = a.textual()
	}
	if err != nil && !r.Stopped {
		return a.failed(err)
	}
	return nil
}

// actReading is one act on its way.
type actReading struct {
	*reading
	to    adapter
	entry entry
	index int
	last  bool
	doc   harvest.Document
	// from articles were yielded before.
	from int
}

// failed puts the act aside, for good where it cannot be read. On the last attempt, and where it is gone, what the
// issue says of it is kept meanwhile, unless more was read before.
func (a *actReading) failed(err error) error {
	if harvest.KindOf(err) == harvest.KindBadRecord {
		a.done()
		a.emit(harvest.Page{Listed: 1, Rejects: []harvest.Reject{{ID: a.doc.ID, Reason: err.Error(), Where: a.to.issue.String()}}})
		return nil
	}
	if !a.passing(err) {
		return err
	}
	if err := a.putAside(late{Issue: a.to.issue, Act: a.entry.id}, err); err != nil {
		return err
	}
	kind := harvest.KindOf(err)
	final := kind == harvest.KindGone || a.req.LastAttempt && kind != harvest.KindBroken
	if a.partial = a.partial || final; !final || a.from > 0 || a.had() {
		a.done()
		return nil
	}
	a.doc.Fields["without_text"] = true
	a.yieldLast(nil)
	return nil
}

// done moves the walk behind the act.
func (a *actReading) done() {
	a.w.At = &place{Issue: a.to.issue, Acts: a.index + 1, Act: a.entry.id}
	if a.last {
		a.finish(a.to.issue)
	}
}

// yieldLast yields the act, unless that was done before, with the rest of its
// articles.
func (a *actReading) yieldLast(articles []harvest.Document) {
	a.done()
	a.yieldPage(articles)
}

func (a *actReading) yieldPage(articles []harvest.Document) {
	docs := articles
	if a.from == 0 {
		docs = append([]harvest.Document{a.doc}, articles...)
	}
	a.emit(harvest.Page{Documents: docs, Listed: len(docs)})
}

// printed is an act whose text is a PDF alone.
func (a *actReading) printed() error {
	if a.entry.pdf == "" || a.site.address(a.entry.pdf) == "" {
		a.doc.Fields["without_text"] = true
		a.yieldLast(nil)
		return nil
	}
	body, err := a.site.pdf(a.ctx, a.site.address(a.entry.pdf))
	switch {
	case err != nil && lacksPDF(err):
		a.doc.Fields["without_text"], a.partial = true, true
		a.warn("act %s has no PDF: %s", a.entry.id, harvest.AsError(err).Err)
		if a.had() {
			a.done()
			return nil
		}
	case err != nil:
		return err
	default:
		a.doc.MediaType, a.doc.Body = mediaPDF, body
	}
	a.yieldLast(nil)
	return nil
}

// textual is an act with a page of its own: its shell, its menu, and the text,
// which is behind the menu, in it, or behind the default article.
func (a *actReading) textual() error {
	shell, _, err := a.site.page(a.ctx, a.site.address(a.entry.link), isAct)
	if err != nil {
		return err
	}
	p, err := guarded(parseAct, shell)
	if err != nil {
		return err
	}
	a.to.shell(&a.doc, p)
	doc, _, err := a.site.page(a.ctx, a.menuAddress(p), isMenu)
	if err != nil {
		return err
	}
	menu, err := guarded(parseMenu, doc)
	if err != nil {
		return err
	}
	if len(menu.articles) > 0 {
		a.doc.Fields["articles"] = len(menu.articles)
		return a.articles(menu.articles)
	}
	if menu.text.empty() {
		if menu.text, err = a.defaultText(p); err != nil {
			return err
		}
	}
	if menu.text.stub() {
		return notYet(a.doc.URL, "the text is a stub: %w", errNotYet)
	}
	if menu.text.empty() {
		a.doc.Fields["without_text"] = true
		a.warn("act %s has no text on the site, only its PDF: %s", a.entry.id, a.to.url(a.to.issueID()+"/pdf"))
	} else {
		say(&a.doc, menu.text)
	}
	a.yieldLast(nil)
	return nil
}

func (a *actReading) menuAddress(p actPage) string {
	if address := a.site.address(p.menu); p.menu != "" && address != "" {
		return address
	}
	return a.site.address("/atto/vediMenuHTML" + actQuery(a.entry) + "&tipoSerie=" + a.serie.slug + "&tipoVigenza=originario")
}

// defaultText asks for the only article of an act without a list of them.
func (a *actReading) defaultText(p actPage) (text, error) {
	address := a.site.address(p.first)
	if p.first == "" || address == "" {
		address = a.site.address("/atto/" + a.serie.slug + "/caricaArticoloDefault/originario" + actQuery(a.entry) + "&atto.tipoProvvedimento=")
	}
	doc, _, err := a.site.page(a.ctx, address, isArticle)
	if err != nil {
		return text{}, err
	}
	return guarded(parseArticle, doc)
}

// guarded reads a page; a panic in it is an error that costs this act alone.
func guarded[T any](read func(*goquery.Document) T, doc *goquery.Document) (out T, err error) {
	err = harvest.Guard(func() error {
		out = read(doc)
		return nil
	})
	return out, err
}

// articles reads the articles from where the act stands. Their addresses are
// never made up: the site answers blind ones with the stub.
func (a *actReading) articles(links []articleLink) error {
	var docs []harvest.Document
	for n := min(a.from, len(links)); n < len(links); n++ {
		if len(docs) == maxArticles {
			a.w.At = &place{Issue: a.to.issue, Acts: a.index, Act: a.w.At.Act, Within: a.entry.id, Articles: n}
			if a.yieldPage(docs); a.Stopped {
				return nil
			}
			docs, a.from = nil, n
		}
		t, err := a.article(links[n])
		if err != nil {
			return err
		}
		docs = append(docs, a.to.articleDocument(&a.doc, links[n], n+1, t))
	}
	a.yieldLast(docs)
	return nil
}

func (a *actReading) article(l articleLink) (text, error) {
	address := a.site.address(l.link)
	doc, _, err := a.site.page(a.ctx, address, func(d *goquery.Document) bool { return isArticle(d) })
	if err != nil {
		return text{}, err
	}
	t, err := guarded(parseArticle, doc)
	if err != nil {
		return t, err
	}
	if t.empty() || t.stub() {
		return t, notYet(address, "the article is empty: %w", errNotYet)
	}
	return t, nil
}
