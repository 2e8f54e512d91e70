package oaipmh

import (
	"net/url"
	"slices"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxSpanPages responses are read of the span in which an unread record lies.
	maxSpanPages = 5
	// maxUnanswered requests for unread records are enough: the rest is for the
	// next fetch.
	maxUnanswered = 3
)

// rereading asks again for what earlier fetches could not read.
type rereading struct {
	*reading
	page harvest.Page
	// asked counts requests since the last page, unanswered those that brought
	// nothing; cause is the first of these.
	asked, unanswered int
	cause             error
}

// reread asks for the unread records before the list, each once. What stays
// unread ends no fetch; a repository that refuses us or does not answer does.
func (r *reading) reread() error {
	s := &rereading{reading: r}
	for _, group := range sameWhere(r.req.Unread) {
		if s.unanswered >= maxUnanswered || r.Stopped {
			break
		}
		if err := s.one(group); err != nil {
			return err
		}
	}
	if s.cause != nil {
		r.warn("records that could not be read could not be asked for again: %s", s.cause)
	}
	s.flush()
	return nil
}

// sameWhere gathers the records that one request answers for.
func sameWhere(unread []harvest.Unread) (groups [][]harvest.Unread) {
	for _, u := range unread {
		i := slices.IndexFunc(groups, func(g []harvest.Unread) bool { return g[0].Where == u.Where })
		if i < 0 {
			groups = append(groups, []harvest.Unread{u})
			continue
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

func (s *rereading) one(group []harvest.Unread) error {
	w, ok := readWhere(group[0].Where)
	if !ok {
		return nil
	}
	if w.id != "" {
		if known, err := s.byID(w.id, group); known || err != nil {
			return err
		}
	}
	if w.dated() && s.granularity() != never {
		return s.bySpan(w.span, group)
	}
	return nil
}

// byID asks for one record by GetRecord; false where the repository does not know
// that verb.
func (s *rereading) byID(id string, group []harvest.Unread) (known bool, err error) {
	ans, err := s.ask1("verb=GetRecord&identifier=" + url.QueryEscape(s.cp.Naming.record(id)) + "&metadataPrefix=" + url.QueryEscape(s.params.prefix()))
	switch {
	case err != nil && refuses(harvest.AsError(err).Status):
		return false, nil
	case err != nil:
		return true, s.failed(err)
	case len(ans.Records) > 0:
		s.take(ans, ans.Records, group)
		if !s.rejected(group[0]) {
			s.resolve(group)
		}
		return true, nil
	case ans.Moved != "" && s.cp.Naming.Now == "":
		return true, s.failed(harvest.Errorf(harvest.KindServerError, "ask", ans.address, "the repository has moved, and may call the record otherwise"))
	case len(ans.Errors) > 0 && !slices.ContainsFunc(ans.Errors, stays):
		s.resolve(group)
		return true, nil
	}
	_, unknown := ans.says("badVerb")
	_, refused := ans.says("badArgument")
	if unknown || refused {
		return false, nil
	}
	return true, s.failed(harvest.Errorf(harvest.KindServerError, "ask", ans.address, "GetRecord brings no record"))
}

// stays reports an error that does not say that the record is there no more.
func stays(e wire.Error) bool {
	return e.Code != "idDoesNotExist" && e.Code != "noRecordsMatch" && e.Code != "cannotDisseminateFormat"
}

// bySpan reads the records of a span, in which the unread ones lie. Read to its
// end, what was not rejected once more is there no more, or came.
func (s *rereading) bySpan(at span, group []harvest.Unread) error {
	g := s.granularity()
	args := s.params.first("ListRecords", at, g)
	for range maxSpanPages {
		ans, err := s.ask1(args)
		switch {
		case err != nil:
			return s.failed(err)
		case len(ans.Errors) > 0 && !ans.saysNone():
			return s.failed(harvest.Errorf(harvest.KindServerError, "ask", ans.address, "the repository answers %s", ans.Errors[0].Code))
		}
		s.take(ans, ans.Records, nil)
		if ans.Token.Value == "" {
			s.resolve(slices.DeleteFunc(slices.Clone(group), s.rejected))
			return nil
		}
		args = s.params.next("ListRecords", ans.Token.Value)
	}
	return nil
}

// ask1 asks one request more than the page had.
func (s *rereading) ask1(args string) (response, error) {
	if s.asked++; s.asked >= harvest.MaxPageRequests/2 {
		s.flush()
	}
	return s.ask(args)
}

// failed notes that a record could not be asked for. It is an error where the
// list would fare no better.
func (s *rereading) failed(err error) error {
	switch harvest.KindOf(err) {
	case harvest.KindServerError, harvest.KindTimeout, harvest.KindBroken, harvest.KindGone, harvest.KindMisconfigured:
	default:
		return err
	}
	if s.ctx.Err() != nil {
		return err
	}
	if s.unanswered++; s.cause == nil {
		s.cause = err
	}
	return nil
}

// take puts records on the page; what has left the set is left out. A record that
// was asked for by its name keeps it.
func (s *rereading) take(ans response, records []wire.Record, asked []harvest.Unread) {
	records = slices.DeleteFunc(slices.Clone(records), func(r wire.Record) bool {
		return s.params.Set != "" && len(r.Sets) > 0 && !belongs(r.Sets, s.params.Set)
	})
	for part := range slices.Chunk(records, harvest.MaxPageDocuments) {
		if len(s.page.Documents)+len(part) > harvest.MaxPageDocuments {
			s.flush()
		}
		docs, rejects := newAdapter(ans, s.cp.Naming).documents(part)
		for i := range rejects {
			if len(asked) == 1 {
				rejects[i].ID, rejects[i].Where = asked[0].ID, asked[0].Where
			}
		}
		s.page.Documents = slices.DeleteFunc(s.page.Documents, func(d harvest.Document) bool {
			return slices.ContainsFunc(docs, func(o harvest.Document) bool { return o.ID == d.ID })
		})
		s.page.Documents, s.page.Rejects = append(s.page.Documents, docs...), append(s.page.Rejects, rejects...)
		s.note(rejects)
	}
}

func (s *rereading) resolve(group []harvest.Unread) {
	for _, u := range group {
		s.page.Resolved = append(s.page.Resolved, u.ID)
	}
}

// flush yields what has come, if anything has.
func (s *rereading) flush() {
	p := s.page
	s.page, s.asked = harvest.Page{}, 0
	if p.Listed = len(p.Documents) + len(p.Rejects); p.Listed+len(p.Resolved) == 0 || s.Stopped {
		return
	}
	p.NotModified = p.Listed == 0
	s.send(p)
}

// note remembers what this fetch has set aside, while there is something unread.
func (r *reading) note(rejects []harvest.Reject) {
	if len(r.req.Unread) == 0 {
		return
	}
	if r.unreadable == nil {
		r.unreadable = map[string]bool{}
	}
	for _, x := range rejects {
		r.unreadable[nameOf(x)] = true
	}
}

// nameOf is the name under which a record is kept that could not be read.
func nameOf(x harvest.Reject) string {
	if x.ID == "" {
		return harvest.Digest(x.Bytes)
	}
	return x.ID
}

func (r *reading) rejected(u harvest.Unread) bool { return r.unreadable[u.ID] }

// unmet are the unread records without a way to ask for them, which a list of
// everything did not bring again: they came under a name, or are gone.
func (r *reading) unmet() (ids []string) {
	if !r.whole || r.req.Limit > 0 {
		return nil
	}
	for _, u := range r.req.Unread {
		if w, ok := readWhere(u.Where); (!ok || w.id == "" && r.granularity() == never) && !r.rejected(u) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}
