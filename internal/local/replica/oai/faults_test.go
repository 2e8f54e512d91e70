package oai

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// broken is a repository of 350 records, 100 a page, seen through a fault.
type broken struct {
	*testing.T
	r    *Repository
	base string
}

func (b broken) ask(args ...string) *document { b.Helper(); return ask(b, b.base, args...) }

func (b broken) walk(args ...string) []*document { b.Helper(); return walk(b, b.base, 12, args...) }

func (b broken) next(d *document) []string {
	b.Helper()
	require.NotNil(b, d.all().Token)
	return []string{"verb", "ListRecords", "resumptionToken", d.all().Token.Text}
}

func (b broken) get(args ...string) (*http.Response, []byte) {
	b.Helper()
	resp, body, err := get(b, b.base, args...)
	require.NoError(b, err)
	return resp, body
}

// whole requires that a list is all there, each record once.
func (b broken) whole(docs []*document) {
	b.Helper()
	living, deleted := ids(docs)
	require.Equal(b, b.r.Living(""), living)
	require.Equal(b, b.r.Deleted(""), deleted)
}

// statuses are those of the same request, asked again and again.
func (b broken) statuses(n int, args ...string) (list []int) {
	for range n {
		resp, _ := b.get(args...)
		list = append(list, resp.StatusCode)
	}
	return list
}

// wellFormed reports whether the strict parser reads it, entities left alone.
func wellFormed(body []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

// text requires what must stand in the first page, and whether a strict parser
// reads it.
func text(parses bool, parts ...string) func(b broken) {
	return func(b broken) {
		_, body := b.get(records()...)
		for _, part := range parts {
			require.Contains(b, string(body), part)
		}
		require.Equal(b, parses, wellFormed(body))
	}
}

func readable(b broken) { b.whole(b.walk(records()...)) }

func both(checks ...func(b broken)) func(b broken) {
	return func(b broken) {
		for _, check := range checks {
			check(b)
		}
	}
}

func always(status int) func(b broken) {
	return func(b broken) { require.Equal(b, []int{status, status}, b.statuses(2, "verb", "Identify")) }
}

func onceOnly(status int) func(b broken) {
	return func(b broken) {
		require.Equal(b, []int{status, 200, 200}, b.statuses(3, "verb", "Identify"))
		require.Equal(b, []int{status, 200}, b.statuses(2, records()...))
	}
}

func tokensAre(status int) func(b broken) {
	return func(b broken) {
		d := b.ask(records()...)
		require.Equal(b, []int{status, status}, b.statuses(2, b.next(d)...))
	}
}

func emptyIs(status int) func(b broken) {
	return func(b broken) {
		require.Equal(b, []int{status}, b.statuses(1, records("from", "2030-01-01")...))
		readable(b)
	}
}

func refusesTokens(b broken) {
	d := b.ask(records()...)
	require.Len(b, d.Records.Records, 100)
	require.Equal(b, badToken, b.ask(b.next(d)...).code())
	require.Equal(b, badToken, b.ask("verb", "ListSets", "resumptionToken", "x").code())
}

func endless(b broken) []*document {
	docs := b.walk(records()...)
	require.Len(b, docs, 12)
	return docs
}

func differentTokens(b broken, docs []*document) {
	seen := map[string]bool{}
	for _, d := range docs {
		seen[d.Records.Token.Text] = true
	}
	require.Len(b, seen, len(docs))
}

// checks are what every fault must be seen to do, by name.
func checks() map[string]func(b broken) {
	all := map[string]func(b broken){}
	for _, some := range []map[string]func(b broken){flowChecks(), statusChecks(), listChecks(), tokenChecks(), contentChecks(), hostileChecks(), argumentChecks()} {
		for name, check := range some {
			all[name] = check
		}
	}
	return all
}

func TestEveryFaultDoesWhatItSays(t *testing.T) {
	t.Parallel()
	all := checks()
	seen := map[string]bool{}
	for _, f := range Faults() {
		require.NotEmpty(t, f.Does)
		require.NotContains(t, f.Does, "\n")
		require.False(t, seen[f.Name], f.Name)
		require.Contains(t, all, f.Name)
		seen[f.Name] = true
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			r := started(t, Config{Records: 350, DeletedEvery: 50, Collections: 2})
			all[f.Name](broken{t, r, r.FaultURL(f.Name)})
		})
	}
	require.Len(t, all, len(seen), "a check of a fault that is none")
}

func TestFaultsBySetAndCall(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 350})
	docs := walk(t, r.URL(), 9, records("set", "fault:empty-pages:1")...)
	require.Len(t, docs, 7, "the tokens remember the fault and its N")
	require.Equal(t, []string{"col_1:part_1", "fault:empty-pages:1"}, docs[0].all().Headers[0].Sets)
	require.Equal(t, "fault:error-after:250", MustNamed("error-after").Set())
	require.Len(t, walk(t, r.URL(), 9, records()...), 4, "others are not concerned")

	codes := func(n int) (list []int) {
		for range n {
			resp, _, err := get(t, r.URL(), "verb", "Identify")
			require.NoError(t, err)
			list = append(list, resp.StatusCode)
		}
		return list
	}
	r.Break(MustNamed("forbidden"))
	r.BreakNext(2, MustNamed("server-error"))
	r.BreakNext(1, Fault{})
	require.Equal(t, []int{500, 500, 200, 403, 403}, codes(5))
	r.BreakNext(9, MustNamed("server-error"))
	r.Heal()
	require.Equal(t, []int{200}, codes(1))
	var faults []string
	for _, q := range r.Requests()[11:] {
		faults = append(faults, q.Fault)
	}
	require.Equal(t, []string{"server-error", "server-error", "", "forbidden", "forbidden", ""}, faults)
	require.Equal(t, http.StatusForbidden, inside(New(Config{Fault: MustNamed("forbidden")}), "GET", Path+"?verb=Identify", "").Code)
	require.Panics(t, func() { MustNamed("none") })
	_, ok := Named("cut-stream:x")
	require.False(t, ok)
}
