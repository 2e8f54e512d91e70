// Package fetchers is the explicit list of the fetchers there are, and the
// look-up by name.
package fetchers

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/api"
	"github.com/vendemmia/vendemmia/fetchers/exec"
	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	"github.com/vendemmia/vendemmia/fetchers/instagram"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/fetchers/weather"
	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/fetchers/x"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// New makes a fetcher that asks the network through client. It has no side
// effects; a nil client serves for Describe only.
type New func(client *http.Client) harvest.Fetcher

// Kind is one fetcher of a Set, with what it says of itself.
type Kind struct {
	Name string
	harvest.Description
	New New
}

// Fields lists the kind's params.
func (k Kind) Fields() []paramspec.Field { return paramspec.Fields(k.Params) }

// Splitter reports whether the kind can list items itself (`split.ask`).
func (k Kind) Splitter() bool {
	_, ok := k.New(nil).(harvest.Splitter)
	return ok
}

// Exhaustive reports whether the kind lists everything its source holds when it
// starts without a checkpoint, so that full passes can be made (`refresh`).
func (k Kind) Exhaustive() bool {
	_, ok := k.New(nil).(harvest.Exhaustive)
	return ok
}

// Continuer is the kind as what says which changes of params its checkpoints
// outlive; nil where it does not say.
func (k Kind) Continuer() harvest.Continuer {
	c, _ := k.New(nil).(harvest.Continuer)
	return c
}

// Set is a list of kinds with distinct names and aliases. It is a value: With
// returns a new one. The zero Set is empty. Safe for use by many goroutines.
type Set struct {
	kinds []Kind
}

// Builtin returns the fetchers that come with the program, one for each folder
// beside this file.
func Builtin() Set {
	var s Set
	for _, f := range []struct {
		name string
		make New
	}{
		{api.Name, api.New},
		{exec.Name, exec.New},
		{feed.Name, feed.New},
		{gazzetta.Name, gazzetta.New},
		{instagram.Name, instagram.New},
		{oaipmh.Name, oaipmh.New},
		{weather.Name, weather.New},
		{web.Name, web.New},
		{x.Name, x.New},
	} {
		s = s.must(f.name, f.make)
	}
	return s
}

// must adds a kind of ours: a mistake here is found by the first test.
func (s Set) must(name string, n New) Set {
	s, err := s.With(name, n)
	if err != nil {
		panic(err)
	}
	return s
}

// With returns the set with one more kind. It is a KindMisconfigured error when
// the name is empty or taken, or when the fetcher does not describe itself.
func (s Set) With(name string, n New) (Set, error) {
	kind, err := describe(name, n)
	if err != nil {
		return s, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "add fetcher", On: name, Err: err}
	}
	for _, word := range kind.words() {
		if taken, ok := s.lookup(word); ok {
			return s, harvest.Errorf(harvest.KindMisconfigured, "add fetcher", name, "%q is already the name of fetcher %s", word, taken.Name)
		}
	}
	kinds := append(slices.Clone(s.kinds), kind)
	slices.SortFunc(kinds, func(a, b Kind) int { return cmp.Compare(a.Name, b.Name) })
	return Set{kinds: kinds}, nil
}

func describe(name string, n New) (Kind, error) {
	if strings.TrimSpace(name) == "" {
		return Kind{}, errors.New("it has no name")
	}
	if n == nil {
		return Kind{}, errors.New("it has no constructor")
	}
	d, ok := n(nil).(harvest.Describer)
	if !ok {
		return Kind{}, errors.New("it does not describe itself: it must be a harvest.Describer")
	}
	return Kind{Name: name, Description: d.Describe(), New: n}, nil
}

func (k Kind) words() []string { return append([]string{k.Name}, k.Aliases...) }

// Find returns a kind by name or alias. An unknown name is a KindMisconfigured
// error that names the nearest one.
func (s Set) Find(name string) (Kind, error) {
	if k, ok := s.lookup(name); ok {
		return k, nil
	}
	var names []string
	for _, k := range s.kinds {
		names = append(names, k.words()...)
	}
	err := harvest.Errorf(harvest.KindMisconfigured, "find fetcher", name, "no such fetcher")
	if err.Advice = s.retired(name); err.Advice != "" {
		return Kind{}, err
	}
	if near := wording.Nearest(name, names); near != "" {
		err.Advice = "did you mean " + near + "?"
	} else if len(names) > 0 {
		err.Advice = "there are " + strings.Join(names, ", ")
	}
	return Kind{}, err
}

// retired says what to use instead of a name that is no longer one.
func (s Set) retired(name string) string {
	for _, k := range s.kinds {
		if instead := k.Retired[name]; instead != "" {
			return instead
		}
	}
	return ""
}

func (s Set) lookup(name string) (Kind, bool) {
	i := slices.IndexFunc(s.kinds, func(k Kind) bool { return slices.Contains(k.words(), name) })
	if i < 0 {
		return Kind{}, false
	}
	return s.kinds[i], true
}

// Programs returns the set with exec running the programs in folders; without folders, and
// where exec is not one of the set, it is the set as it was.
func (s Set) Programs(dirs []string) Set {
	kinds := slices.Clone(s.kinds)
	for i := range kinds {
		if kinds[i].Name == exec.Name && len(dirs) > 0 {
			kinds[i].New = exec.Allow(dirs)
		}
	}
	return Set{kinds: kinds}
}

// All returns the kinds sorted by name.
func (s Set) All() []Kind { return slices.Clone(s.kinds) }
