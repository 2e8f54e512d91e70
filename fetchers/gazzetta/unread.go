package gazzetta

import (
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxReread issues are asked for again in a fetch for what could not be read in
	// them; maxUnanswered that do not come are enough.
	maxReread     = 20
	maxUnanswered = 3
)

// rejectsOf names what an issue has that could not be read. The place of a record that could not be read is its issue: harvest.Reject.Where.
func (r *reading) rejectsOf(k key, p issuePage) []harvest.Reject {
	list := slices.Clone(p.rejects)
	for i := range list {
		list[i].ID, list[i].Where = r.adapter(k).issueID()+" "+list[i].ID, k.String()
	}
	return list
}

// reread asks again for the issues in which something could not be read. What is
// still as it was is rejected once more; where something is not, the issue is
// read again in this walk: it has become an act, or is gone.
func (r *reading) reread(w *walk) error {
	asked, unanswered := 0, 0
	for _, group := range byIssue(r.req.Unread) {
		if asked++; asked > maxReread || unanswered >= maxUnanswered || r.Stopped {
			return nil
		}
		p, err := r.issuePage(group.issue)
		switch {
		case err == nil:
			r.settle(w, group, p)
		case !r.passing(err):
			return err
		default:
			unanswered++
			r.warn("%s, in which something could not be read, could not be asked for again: %s", r.name(late{Issue: group.issue}), harvest.AsError(err).Err)
		}
	}
	return nil
}

// unreadOf are the unread records of one issue.
type unreadOf struct {
	issue key
	ids   []string
}

func byIssue(unread []harvest.Unread) (groups []unreadOf) {
	for _, u := range unread {
		var k key
		if k.UnmarshalText([]byte(u.Where)) != nil || k.Number < 1 {
			continue
		}
		i := slices.IndexFunc(groups, func(g unreadOf) bool { return g.issue == k })
		if i < 0 {
			groups, i = append(groups, unreadOf{issue: k}), len(groups)
		}
		groups[i].ids = append(groups[i].ids, u.ID)
	}
	return groups
}

// settle yields what became of the unread records of an issue.
func (r *reading) settle(w *walk, group unreadOf, p issuePage) {
	var page harvest.Page
	for _, x := range r.rejectsOf(group.issue, p) {
		if slices.Contains(group.ids, x.ID) {
			page.Rejects = append(page.Rejects, x)
		}
	}
	page.Resolved = slices.DeleteFunc(slices.Clone(group.ids), func(id string) bool {
		return slices.ContainsFunc(page.Rejects, func(x harvest.Reject) bool { return x.ID == id })
	})
	if again := (late{Issue: group.issue, Had: true}); len(page.Resolved) > 0 && !slices.Contains(w.Late, again) {
		w.Late = append(w.Late, again)
	}
	page.Listed = len(page.Rejects)
	page.NotModified = page.Listed == 0
	r.emit(page)
}
