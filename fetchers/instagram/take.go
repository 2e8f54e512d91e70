package instagram

import (
	"encoding/json"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// take yields the posts of one page of the list that are not known, each with its
// files.
func (r *reading) take(list edge) error {
	known := false
	for _, raw := range list.Data {
		if r.read >= r.params.backlog() {
			return nil
		}
		r.read++
		id, d, p, err := document(raw, r.params.account())
		known = false
		switch short := shorten(id); {
		case err != nil:
			r.reject(id, raw, err)
		case r.windowed() && !r.req.Window.Contains(d.Published):
			known = d.Published.Before(r.req.Window.From)
		case r.known(short):
			known = slices.Contains(r.cp.Done, short)
			r.pending.Same++
		default:
			if err := r.post(d, p); err != nil || r.Stopped {
				return err
			}
		}
	}
	// Posts that are pinned come first, whatever their age: the last one tells.
	r.done = known && r.ordered() && len(r.req.Unread) == 0 && !r.req.ForceRefresh
	return nil
}

// known reports a post that was read: by this way through the list, even one that was
// cut, or by the one before.
func (r *reading) known(short string) bool {
	if r.windowed() {
		return false
	}
	return slices.Contains(r.cp.Seen, short) || !r.req.ForceRefresh && slices.Contains(r.cp.Done, short)
}

// maxRejected is how much is kept of a post that cannot be read.
const maxRejected = 16 << 10

func (r *reading) reject(id string, raw json.RawMessage, err error) {
	r.met[id] = true
	if id == "" {
		r.met[harvest.Digest(raw)] = true
	}
	r.pending.Rejects = append(r.pending.Rejects, harvest.Reject{ID: id, Reason: err.Error(), Bytes: slices.Clone(raw[:min(len(raw), maxRejected)]), Where: id})
}

// post yields a post with its files. One that lacks a file is not known: while it is
// among the newest it is read again, with the address that the file then has.
func (r *reading) post(d harvest.Document, p post) error {
	page := r.pending
	page.Documents = append(page.Documents, d)
	r.met[d.ID] = true
	for _, m := range p.files() {
		if !r.wanted(m) {
			continue
		}
		file, err := r.document(d, m)
		switch {
		case err == nil:
			page.Documents = append(page.Documents, file)
		case r.ctx.Err() != nil, temporary(err) && !r.req.LastAttempt:
			return err
		default:
			page.Partial = true
			page.Warnings = append(page.Warnings, "the file of post "+d.ID+" is missing: "+err.Error())
		}
	}
	if !r.windowed() && !page.Partial {
		r.cp.Seen = append(r.cp.Seen, shorten(d.ID))
	}
	r.send(page)
	return nil
}

// temporary errors end the fetch, so that the post is read again with its file.
func temporary(err error) bool {
	switch harvest.KindOf(err) {
	case harvest.KindTimeout, harvest.KindUnreachable, harvest.KindServerError, harvest.KindThrottled, harvest.KindInternal:
		return true
	default:
		return false
	}
}
