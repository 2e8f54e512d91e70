package weather

import (
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// resolved are the unread records that need no further request: those of the place
// that was just read and are not among its rejects, and those of places that are
// asked for no more.
func (r *reading) resolved(at Place, of *report) (ids []string) {
	for _, u := range r.req.Unread {
		here := u.Where == at.name() && !of.same && !r.windowed()
		gone := !slices.ContainsFunc(r.places, func(p Place) bool { return p.name() == u.Where })
		rejected := slices.ContainsFunc(of.rejects, func(x harvest.Reject) bool { return x.ID == u.ID })
		if gone || here && !rejected {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// unread reports a place with a record that could not be read: it is asked for
// again whatever is known of it.
func (r *reading) unread(at Place) bool {
	return slices.ContainsFunc(r.req.Unread, func(u harvest.Unread) bool { return u.Where == at.name() })
}

// maxRejected is how much is kept of a record that cannot be read.
const maxRejected = 16 << 10

func reject(at Place, id string, raw []byte, reason string) harvest.Reject {
	return harvest.Reject{ID: id, Reason: reason, Bytes: slices.Clone(raw[:min(len(raw), maxRejected)]), Where: at.name()}
}
