package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Feed is what is written out: the changes of a store.
type Feed interface {
	Feed(context.Context) (rows.Feed, error)
	LastChange(context.Context) (int64, error)
	Changes(context.Context, rows.ChangeFilter) iter.Seq2[rows.Change, error]
	Blob(ctx context.Context, digest string) (io.ReadCloser, error)
}

// ErrReset: the folder was written from another store, or from one that had
// gone further. Test with errors.Is.
var ErrReset = errors.New("database reset")

// ErrOther: the folder was begun with other options, or somebody else is writing
// into it. Test with errors.Is.
var ErrOther = errors.New("not this folder")

// Options say what to write, and how.
type Options struct {
	Dir        string // made where there is none
	Layout     Layout
	Batch      int // records in one file; 0: one file for each
	Campaign   string
	Collection string
	// Progress is told how many of how many change numbers are behind; may be
	// nil.
	Progress func(done, total int64)

	// step is called before each touch of the disk; an error is a crash.
	step func(string) error
}

// Result counts what a call did.
type Result struct {
	Changes int `json:"changes"` // that were read
	Files   int `json:"files"`   // new, .delete files apart
	Deletes int `json:"deletes"` // .delete files, new
	// Replaced counts files of both kinds that were there and are written anew.
	Replaced int    `json:"replaced"`
	Loose    int    `json:"loose"` // records that fit into no XML batch
	After    int64  `json:"after"` // number of the last change
	Store    string `json:"store"`
}

// chunk is how many changes make one step where files are single: the state is
// written once for them all.
const chunk = 1000

// Run writes what changed since the last call into Dir: first of all, what there
// is. It may be killed at any moment; the next call goes on, and Dir is then as
// if nothing had happened. Files appear whole or not at all. A document that
// changed several times since is written once, as it is now (in a layout by day,
// once a day). One call at a time for a Dir.
func Run(ctx context.Context, feed Feed, o Options) (res Result, err error) {
	d, err := openDir(o)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	last, err := feed.LastChange(ctx)
	if err != nil {
		return res, err
	}
	line, err := feed.Feed(ctx)
	if err != nil {
		return res, err
	}
	if err := d.load(line.ID, last); err != nil {
		return res, err
	}
	w := &writer{Options: o, dir: d, feed: feed, from: d.state.After, last: last}
	w.res.Store = line.ID
	err = w.all(ctx)
	w.res.After = d.state.After
	return w.res, err
}

// writer is one call of Run.
type writer struct {
	Options
	dir        *dir
	feed       Feed
	from, last int64
	res        Result
}

func (w *writer) all(ctx context.Context) error {
	if err := w.again(ctx); err != nil {
		return err
	}
	size := cmp.Or(w.Batch, chunk)
	var list []rows.Change
	for ch, err := range w.changes(ctx, w.last) {
		if err != nil {
			return err
		}
		if list = append(list, ch); len(list) == size {
			if err := w.put(ctx, list); err != nil {
				return err
			}
			list = nil
		}
	}
	if err := w.put(ctx, list); err != nil {
		return err
	}
	return w.done(w.last)
}

// again repeats the batch that was in work when the last call was killed: the
// same changes under the same name.
func (w *writer) again(ctx context.Context) error {
	if w.dir.state.Until == 0 {
		return nil
	}
	var list []rows.Change
	for ch, err := range w.changes(ctx, w.dir.state.Until) {
		if err != nil {
			return err
		}
		list = append(list, ch)
	}
	if len(list) == 0 {
		return w.done(w.dir.state.Until)
	}
	return w.put(ctx, list)
}

// changes are those after the state, up to a number.
func (w *writer) changes(ctx context.Context, until int64) iter.Seq2[rows.Change, error] {
	filter := rows.ChangeFilter{After: w.dir.state.After, Campaign: w.Campaign, Collection: w.Collection, Bodies: true, Whole: w.dir.state.After == 0}
	return func(yield func(rows.Change, error) bool) {
		for ch, err := range w.feed.Changes(ctx, filter) {
			if err == nil && ch.Number > until || !yield(ch, err) {
				return
			}
		}
	}
}

func (w *writer) put(ctx context.Context, list []rows.Change) error {
	if len(list) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	until := list[len(list)-1].Number
	newest := w.newest(list)
	var files []file
	var err error
	if w.Batch > 0 {
		if err := w.dir.intend(list[0].Number, until); err != nil {
			return err
		}
		files, err = w.batch(ctx, newest)
	} else {
		files, err = w.single(ctx, newest)
	}
	if err != nil {
		return err
	}
	if err := w.dir.put(files); err != nil {
		return err
	}
	w.res.Changes += len(list)
	w.count(files)
	return w.done(until)
}

func (w *writer) count(files []file) {
	for _, f := range files {
		switch {
		case w.dir.replaced[f.name]:
			w.res.Replaced++
		case f.deletes:
			w.res.Deletes++
		default:
			w.res.Files++
		}
	}
	clear(w.dir.replaced)
}

// newest leaves the last change of each document, or of each of its days.
func (w *writer) newest(list []rows.Change) []rows.Change {
	type name struct{ collection, id, day string }
	at := map[name]int64{}
	of := func(ch rows.Change) name {
		n := name{collection: ch.Document.Collection, id: ch.Document.Line.ID}
		if w.Layout == Days && w.Batch == 0 {
			n.day = day(ch)
		}
		return n
	}
	for _, ch := range list {
		at[of(ch)] = ch.Number
	}
	return slices.DeleteFunc(slices.Clone(list), func(ch rows.Change) bool { return at[of(ch)] != ch.Number })
}

func (w *writer) done(after int64) error {
	if w.Progress != nil {
		w.Progress(after-w.from, w.last-w.from)
	}
	if after == w.dir.state.After && w.dir.state.Until == 0 {
		return nil
	}
	return w.dir.reached(after)
}

// body is a document's content, nil where it has none.
func (w *writer) body(ctx context.Context, d rows.Document) (content []byte, err error) {
	if d.Line.Body != "" || d.Line.BodyRef == "" {
		return []byte(d.Line.Body), nil
	}
	r, err := w.feed.Blob(ctx, d.Line.BodyRef)
	if err != nil {
		return nil, fmt.Errorf("body of %s: %w", d.Line.ID, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if content, err = io.ReadAll(r); err != nil {
		return nil, fmt.Errorf("body of %s: %w", d.Line.ID, err)
	}
	return content, nil
}

func day(ch rows.Change) string { return ch.At.UTC().Format(time.DateOnly) }
