package x

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vendemmia/vendemmia/fetchers/internal/titles"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// userID reads the answer of a look-up by name.
func (w *reply) userID() (string, error) {
	var u user
	if err := json.Unmarshal(w.Data, &u); err != nil || !isID(u.ID) {
		return "", harvest.Errorf(harvest.KindBroken, "read user", "", "the answer has no user with an id")
	}
	return u.ID, nil
}

// page turns the posts of an answer into documents; those that cannot be read are set
// aside.
func (r *reading) page(w *reply) harvest.Page {
	out := harvest.Page{Warnings: w.warnings()}
	authors := map[string]user{}
	for _, u := range w.Includes.Users {
		authors[u.ID] = u
	}
	if r.author.ID != "" {
		authors[r.author.ID] = r.author
	}
	for _, raw := range w.list() {
		id, d, err := document(raw, authors)
		switch {
		case err != nil:
			out.Rejects = append(out.Rejects, reject(id, raw, err))
		case r.known(d.ID, id):
			out.Same++
		default:
			out.Documents = append(out.Documents, d)
		}
	}
	out.Listed = len(out.Documents) + len(out.Rejects) + out.Same
	return out
}

// known reports a version that is older than one that was yielded, and keeps the
// newest: pages come newest first.
func (r *reading) known(root, id string) bool {
	had := r.seen[root]
	if had == "" || newer(id, had) {
		r.seen[root] = id
		return false
	}
	return true
}

// maxRejected is how much is kept of a post that cannot be read.
const maxRejected = 16 << 10

func reject(id string, raw []byte, err error) harvest.Reject {
	return harvest.Reject{ID: id, Reason: err.Error(), Bytes: slices.Clone(raw[:min(len(raw), maxRejected)]), Where: id}
}

// document is a post; all its versions are one document, by the id of the first one.
// id is the version's, "" where it cannot be read.
func document(raw json.RawMessage, authors map[string]user) (id string, d harvest.Document, err error) {
	var named struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &named) != nil || !isID(named.ID) {
		return "", d, errors.New("it has no id")
	}
	var p post
	if err := json.Unmarshal(raw, &p); err != nil {
		return named.ID, d, fmt.Errorf("it cannot be read: %w", err)
	}
	at, ok := times.Storable(p.Created)
	if p.Created.IsZero() || !ok {
		return p.ID, d, errors.New("it has no date")
	}
	root := p.ID
	if len(p.Versions) > 0 && isID(p.Versions[0]) {
		root = p.Versions[0]
	}
	text := p.Text
	if p.Note.Text != "" {
		text = p.Note.Text
	}
	author := authors[p.Author]
	return p.ID, harvest.Document{
		ID: root, URL: address(author, p.ID), Kind: "post", Title: titles.Of(text), Published: at,
		MediaType: "text/plain", Body: []byte(text), Fields: p.fields(author),
	}, nil
}

// address is the post's page.
func address(author user, id string) string {
	if handles.MatchString(author.Username) {
		return "https://x.com/" + author.Username + "/status/" + id
	}
	return "https://x.com/i/web/status/" + id
}

func (p *post) fields(author user) map[string]any {
	f := map[string]any{"version": p.ID}
	for name, text := range map[string]string{
		"author_id": p.Author, "author": author.Username, "author_name": author.Name, "lang": p.Lang, "conversation": p.Conversation, "reply_to_user": p.ReplyTo,
	} {
		if text != "" {
			f[name] = text
		}
	}
	var hashtags, links []string
	for _, h := range p.Entities.Hashtags {
		hashtags = append(hashtags, h.Tag)
	}
	for _, u := range p.Entities.URLs {
		links = append(links, u.Expanded)
	}
	for name, list := range map[string][]string{"hashtags": hashtags, "links": links, "versions": p.Versions} {
		if len(list) > 0 {
			f[name] = list
		}
	}
	for _, r := range p.Referenced {
		if r.Type == "retweeted" || r.Type == "quoted" || r.Type == "replied_to" {
			f[r.Type] = r.ID
		}
	}
	return f
}
