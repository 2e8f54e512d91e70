// Package pages is the frame of a fetch: it sends pages until there are no more, and
// reads and writes the checkpoints between them.
package pages

import (
	"encoding/json"
	"iter"

	"github.com/vendemmia/vendemmia/harvest"
)

// Out takes the pages of one fetch. It belongs to one goroutine.
type Out struct {
	// Stopped: the caller wants no more. No page may be sent then.
	Stopped bool
	yield   func(harvest.Page, error) bool
}

// Send yields a page.
func (o *Out) Send(p harvest.Page) { o.Stopped = !o.yield(p, nil) }

// From makes the sequence that harvest.Fetcher returns: fetch sends its pages, and the
// error that it returns ends the sequence. An error is dropped once the caller has stopped.
func From(fetch func(out *Out) error) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		out := &Out{yield: yield}
		if err := fetch(out); err != nil && !out.Stopped {
			yield(harvest.Page{}, err)
		}
	}
}

// Steps calls step until done is true, the caller has stopped, or step fails.
func (o *Out) Steps(done *bool, step func() error) (err error) {
	for err == nil && !o.Stopped && !*done {
		err = step()
	}
	return err
}

// Read reads a checkpoint. One that cannot be read, or that sound does not accept, is the
// zero value, as if there were none. A nil sound accepts all.
func Read[C any](raw json.RawMessage, sound func(C) bool) C {
	var c, none C
	if len(raw) > 0 && json.Unmarshal(raw, &c) != nil || sound != nil && !sound(c) {
		return none
	}
	return c
}

// Write writes a checkpoint: a struct of texts, numbers, and lists and maps of them.
func Write(checkpoint any) json.RawMessage {
	b, _ := json.Marshal(checkpoint) // such a struct cannot fail
	return b
}
