package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// own is the folder in Dir that keeps what is ours: the state, a lock, and files
// that are not complete.
const own = ".vendemmia-export"

// state is how far Dir is, and with what it was begun.
type state struct {
	Store      string `json:"store"`
	After      int64  `json:"after"` // number of the last change that is out
	Layout     Layout `json:"layout"`
	Batch      int    `json:"batch,omitempty"`
	Campaign   string `json:"campaign,omitempty"`
	Collection string `json:"collection,omitempty"`
	// First and Until bound the batch in work; 0: none is.
	First int64 `json:"first,omitempty"`
	Until int64 `json:"until,omitempty"`
}

// dir is the folder that is written into.
type dir struct {
	path  string
	lock  *os.File
	state state
	begun state // what the options say
	step  func(string) error
	// replaced are files that were there already when they appeared.
	replaced map[string]bool
}

func openDir(o Options) (*dir, error) {
	d := &dir{path: o.Dir, replaced: map[string]bool{}, step: o.step, begun: state{Layout: o.Layout, Batch: o.Batch, Campaign: o.Campaign, Collection: o.Collection}}
	if d.step == nil {
		d.step = func(string) error { return nil }
	}
	if err := os.MkdirAll(d.at(own), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder: %w", err)
	}
	lock, err := os.OpenFile(d.at(own+"/lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the folder: %w", err)
	}
	d.lock = lock
	if err := tryLock(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: somebody else is writing into %s: %w", ErrOther, o.Dir, err), lock.Close())
	}
	return d, nil
}

func (d *dir) close() error { return errors.Join(unlock(d.lock), d.lock.Close()) }

func (d *dir) at(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// load reads the state and clears away what a killed call left incomplete.
func (d *dir) load(store string, last int64) error {
	d.begun.Store = store
	text, err := os.ReadFile(d.at(own + "/state.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.state = d.begun
	case err != nil:
		return fmt.Errorf("read how far it is: %w", err)
	default:
		if err := json.Unmarshal(text, &d.state); err != nil {
			return fmt.Errorf("read how far it is: %s: %w", own+"/state.json", err)
		}
		if err := d.fits(last); err != nil {
			return err
		}
	}
	old, err := filepath.Glob(d.at(own + "/new-*"))
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// fits refuses a folder of another store, or of other options.
func (d *dir) fits(last int64) error {
	was := d.state
	if was.Store != d.begun.Store || was.After > last {
		return fmt.Errorf("%w: %s was written from store #%s up to change %d; this one is #%s, and its last change is %d. Write everything again, into an empty folder",
			ErrReset, d.path, short(was.Store), was.After, short(d.begun.Store), last)
	}
	was.After, was.First, was.Until = 0, 0, 0
	if was != d.begun {
		return fmt.Errorf("%w: %s was begun with %s; go on so, or write into another folder", ErrOther, d.path, was.flags())
	}
	return nil
}

func short(id string) string { return id[:min(4, len(id))] }

func (s state) flags() string {
	out := []string{"--layout " + string(s.Layout)}
	if s.Batch > 0 {
		out = append(out, fmt.Sprintf("--batch %d", s.Batch))
	}
	if s.Campaign != "" {
		out = append(out, "--campaign "+s.Campaign)
	}
	if s.Collection != "" {
		out = append(out, "--collection "+s.Collection)
	}
	return strings.Join(out, " ")
}

// intend keeps what a batch is made of before it is written, so that it comes out
// the same when it is written again.
func (d *dir) intend(first, until int64) error {
	if d.state.Until != 0 {
		return nil
	}
	d.state.First, d.state.Until = first, until
	return d.save()
}

func (d *dir) reached(after int64) error {
	d.state.After, d.state.First, d.state.Until = after, 0, 0
	return d.save()
}

func (d *dir) save() error {
	text, err := json.MarshalIndent(d.state, "", "  ")
	if err != nil {
		return err
	}
	return d.put([]file{{name: own + "/state.json", content: append(text, '\n')}})
}

// put makes files appear under their names, each whole: what it returned from is
// on the disk.
func (d *dir) put(list []file) error {
	var g errgroup.Group
	g.SetLimit(8)
	for i, f := range list {
		g.Go(func() error { return d.write(i, f) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	folders := map[string]bool{}
	for i, f := range list {
		folders[path.Dir(f.name)] = true
		if err := d.appear(i, f); err != nil {
			return err
		}
	}
	for name := range folders {
		g.Go(func() error { return syncFolder(d.at(name)) })
	}
	return g.Wait()
}

func (d *dir) fresh(i int) string { return d.at(fmt.Sprintf("%s/new-%d", own, i)) }

func (d *dir) write(i int, f file) (err error) {
	if err := d.step("write " + f.name); err != nil {
		return err
	}
	out, err := os.Create(d.fresh(i))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := out.Write(f.content); err != nil {
		return err
	}
	return out.Sync()
}

func (d *dir) appear(i int, f file) error {
	if err := d.step("rename " + f.name); err != nil {
		return err
	}
	to := d.at(f.name)
	if _, err := os.Lstat(to); err == nil {
		d.replaced[f.name] = true
	}
	err := os.Rename(d.fresh(i), to)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(d.fresh(i), to))
	}
	if err != nil {
		return err
	}
	if err := d.step("take away beside " + f.name); err != nil {
		return err
	}
	for _, name := range f.instead {
		if err := os.Remove(d.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
