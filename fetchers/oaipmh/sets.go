package oaipmh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Split is harvest.Splitter: an item for every set of the repository, in its
// order, each once.
func (f *Fetcher) Split(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Element, error] {
	return func(yield func(harvest.Element, error) bool) {
		params, err := harvest.DecodeParams[Params](req.Params)
		a := &asking{Fetcher: f, ctx: ctx, params: params}
		stopped := false
		if err == nil {
			err = a.sets(maxSetPages, func(s wire.Set) bool {
				raw, _ := json.Marshal(map[string]string{"set": s.Spec}) // text only: it cannot fail
				stopped = !yield(harvest.Element{Label: s.Name, Params: raw}, nil)
				return !stopped
			})
		}
		if errors.Is(err, errMoreSets) {
			err = harvest.Errorf(harvest.KindBroken, "list sets", params.URL, "the list does not end: %w", err)
		}
		if err != nil && !stopped {
			yield(harvest.Element{}, err)
		}
	}
}

// maxSetPages and maxSets bound ListSets: no repository has so many.
const (
	maxSetPages = 5000
	maxSets     = 500_000
)

// errMoreSets says that ListSets was not read to its end.
var errMoreSets = errors.New("there are more sets than were asked for")

// sets lists the sets, over at most so many responses.
func (a *asking) sets(pages int, yield func(wire.Set) bool) error {
	seen, circle, token := map[string]bool{}, loops{}, ""
	for range pages {
		args := "verb=ListSets"
		if token != "" {
			args = a.params.next("ListSets", token)
		}
		ans, err := a.ask(args)
		if err == nil && len(ans.Errors) > 0 && len(ans.Sets) == 0 {
			err = a.setsError(ans)
		}
		if err != nil {
			return err
		}
		if len(seen) > maxSets {
			return errMoreSets
		}
		for _, s := range ans.Sets {
			if s.Spec != "" && !seen[s.Spec] {
				seen[s.Spec] = true
				if !yield(s) {
					return nil
				}
			}
		}
		if ans.Token.Value == "" {
			return nil
		}
		if ans.Token.Value == token || circle.know(hashOf("t", ans.Token.Value)) {
			return harvest.Errorf(harvest.KindBroken, "list sets", ans.address, "the list goes in a circle after %d sets: the same token came again", len(seen))
		}
		token = ans.Token.Value
	}
	return errMoreSets
}

func (a *asking) setsError(ans response) error {
	if ans.saysNone() { // not of this verb, but meant so
		return nil
	}
	return a.protocolError(ans)
}

// belongs reports a record of the set or of one below it.
func belongs(specs []string, set string) bool {
	for _, s := range specs {
		if s == set || strings.HasPrefix(s, set) && s[len(set)] == ':' {
			return true
		}
	}
	return false
}

// verify finds lists whose tokens have forgotten what was asked for: another
// set, another format. Only what the first response showed is held against the
// later ones, since many repositories do not name the set in the header.
func (r *reading) verify(l *list, ans response) error {
	named, members, live, dublin := 0, 0, 0, 0
	for i := range ans.Records {
		rec := &ans.Records[i]
		if len(rec.Sets) > 0 {
			named++
			if belongs(rec.Sets, r.params.Set) {
				members++
			}
		}
		if r.params.prefix() == "oai_dc" && len(rec.Metadata) > 0 && rec.Err == nil && (l.Pages == 0 || dublin == 0) {
			live++
			if rec.Root() == "dc" {
				dublin++
			}
		}
	}
	if l.Pages == 0 {
		l.Member, l.Dublin = r.params.Set != "" && members > 0, dublin > 0
		return nil
	}
	text := ""
	switch {
	case l.Member && named > 0 && members == 0:
		text = fmt.Sprintf("the token led to other sets: none of %d records is of %s", named, r.params.Set)
	case l.Dublin && live > 0 && dublin == 0:
		text = fmt.Sprintf("the token led to another format: none of %d records is oai_dc", live)
	default:
		return nil
	}
	e := harvest.Errorf(harvest.KindBroken, "harvest", ans.address, "%s", text)
	e.Advice = "the repository keeps only the last request of all: processors: 1 for this campaign, or no set; tell its administrator"
	return e
}

// none ends a list that brought no (more) records.
func (r *reading) none(l *list, ans response) error {
	r.began(ans)
	if r.distrusts(l, ans) {
		return nil
	}
	p := harvest.Page{NotModified: l.Pages == 0}
	if size := l.Size - 1; l.Pages > 0 && size > l.Seen {
		p.Partial, r.whole = true, false
		r.warn("%s", shortOf(l.Seen, size))
	}
	if l.Pages == 0 && r.pass.Seen == 0 && len(r.pass.Todo) == 0 && !r.windowed() {
		empty, err := r.confirmSet()
		if err != nil {
			return err
		}
		p.NotModified = !empty
	}
	p.Done = r.pass.Seen + l.Seen
	p.Last = r.endList()
	r.send(p)
	return nil
}

// confirmEvery is how often a set that brings nothing is asked for by name.
const confirmEvery = 7 * 24 * time.Hour

// confirmSet finds out whether a set that brings nothing still exists: such a
// request is answered like one in which there is only nothing new. It returns
// whether the set is there and has become empty.
func (r *reading) confirmSet() (empty bool, err error) {
	now := r.pass.First
	if r.params.Set == "" || now.IsZero() || now.Sub(r.cp.Confirmed) < confirmEvery {
		return false, nil
	}
	if r.cp.Had && !r.pass.Full {
		ans, err := r.ask(r.params.first("ListIdentifiers", span{}, never))
		if err != nil && r.ctx.Err() != nil {
			return false, err
		}
		if err != nil || len(ans.Records) > 0 {
			r.cp.Confirmed = now
			return false, nil
		}
	}
	there, err := r.hasSet()
	if err == nil && there {
		r.cp.Confirmed = now
		return r.cp.Had, nil
	}
	return false, err
}

// hasSet looks the set up in ListSets. Where that cannot be had, nothing is
// concluded. A set that is not there is an error.
func (r *reading) hasSet() (bool, error) {
	var specs []string
	found := false
	pages := maxConfirmPages
	if !r.cp.Had {
		pages = 1
	}
	err := r.sets(pages, func(s wire.Set) bool {
		specs = append(specs, s.Spec)
		found = s.Spec == r.params.Set || strings.HasPrefix(s.Spec, r.params.Set+":")
		return !found
	})
	if r.ctx.Err() != nil {
		return false, err
	}
	if found || err != nil && harvest.KindOf(err) != harvest.KindMisconfigured {
		return true, nil
	}
	if r.cp.Had {
		e := harvest.Errorf(harvest.KindGone, "harvest", r.params.URL, "set %s is no longer among the repository's sets, and has no records", r.params.Set)
		e.Advice = "its records are kept; remove the item, or harvest the set they went to"
		return false, e
	}
	e := harvest.Errorf(harvest.KindMisconfigured, "harvest", r.params.URL, "the repository has no set %s", r.params.Set)
	if near := wording.Nearest(r.params.Set, specs); near != "" {
		e.Advice = "did you mean set: " + near + "?"
	} else if len(specs) > 0 {
		e.Advice = "it has " + strings.Join(specs[:min(len(specs), maxNamed)], ", ")
	} else {
		e.Advice = "it has no sets at all: leave out set"
	}
	return false, e
}

// maxConfirmPages of ListSets, with the request before them, fit into one page
// of the contract.
const maxConfirmPages = 15

// goneSet is for repositories that answer badArgument for a set they do not
// know: gone when it had records once, misconfigured when it never had; nil when
// the set is there, or nothing can be said.
func (r *reading) goneSet(ans response) error {
	_, bad := ans.says("badArgument")
	if r.params.Set == "" || !bad {
		return nil
	}
	_, err := r.hasSet()
	return err
}
