package registry

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// briefs is how many briefs one request asks for.
	briefs = 1000
	// abreast is how many records are asked for at the same time.
	abreast = 4
	// mostLost: when so many requests in a row fail, the service is away.
	mostLost = 20
)

// harvestables speaks to the XML service of a harvester for libraries: its address
// ends in /harvester/records. It has no conditional requests: the briefs are listed
// each time, and a full record is asked for when its lastUpdated is another.
type harvestables struct {
	browser
	zone string // of scheduleString
}

// List is part of Service. Records that cannot be read are problems of their own;
// only a service that does not answer any more is an error.
func (s harvestables) List(ctx context.Context, known Known) (Listing, error) {
	records, out, err := s.read(ctx, known)
	if err != nil {
		return Listing{}, err
	}
	for _, r := range records {
		out.Jobs = append(out.Jobs, r.wished(r.job(s.zone), known))
	}
	return out.whole(), nil
}

// read lists the briefs and reads the records that are not known; the listing has no
// jobs yet.
func (s harvestables) read(ctx context.Context, known Known) ([]record, Listing, error) {
	out := Listing{}
	list, err := s.briefs(ctx, &out)
	if err != nil {
		return nil, out, err
	}
	records, err := s.records(ctx, out.sort(list, known), &out)
	return records, out, err
}

// records asks for the records of briefs; those that cannot be read are problems.
func (s harvestables) records(ctx context.Context, ask []brief, out *Listing) ([]record, error) {
	all, failed := make([]record, len(ask)), make([]error, len(ask))
	err := each(ctx, len(ask), func(ctx context.Context, i int) error {
		all[i], failed[i] = s.record(ctx, ask[i])
		return failed[i]
	})
	if err != nil {
		return nil, err
	}
	out.Requests += len(ask)
	var read []record
	for i, b := range ask {
		if failed[i] != nil {
			out.Problems = append(out.Problems, Problem{ID: b.ID, Text: failed[i].Error()})
			continue
		}
		read = append(read, all[i])
	}
	return read, nil
}

// sort says which records are to be asked for. Of an id that stands twice with another
// lastUpdated nobody can tell which holds.
func (l *Listing) sort(list []brief, known Known) (ask []brief) {
	seen, twice := map[string]string{}, map[string]bool{}
	for _, b := range list {
		if was, again := seen[b.ID]; again && was != b.LastUpdated {
			twice[b.ID] = true
		}
		seen[b.ID] = b.LastUpdated
	}
	for _, b := range list {
		_, err := strconv.ParseUint(b.ID, 10, 63)
		stamp, first := seen[b.ID]
		delete(seen, b.ID)
		switch {
		case err != nil:
			l.Problems = append(l.Problems, Problem{Text: fmt.Sprintf("the id %q is not a number", b.ID)})
		case !first:
		case twice[b.ID]:
			l.Problems = append(l.Problems, Problem{ID: b.ID, Text: listedTwice})
		case stamp != "" && known.Stamps[b.ID] == stamp:
			l.Same = append(l.Same, b.ID)
		default:
			ask = append(ask, b)
		}
	}
	return ask
}

// briefs reads the list page by page. One that is shorter than it says was changed
// while it was read, or cut: then nothing is known of what is missing.
func (s harvestables) briefs(ctx context.Context, out *Listing) ([]brief, error) {
	var all []brief
	for {
		address := s.at("/harvestables/", url.Values{"start": {strconv.Itoa(len(all))}, "max": {strconv.Itoa(briefs)}})
		r, err := s.exchange(ctx, http.MethodGet, address, acceptXML(), nil)
		if err != nil {
			return nil, err
		}
		out.Requests++
		page, err := readBriefs(r.body)
		if err != nil {
			return nil, s.broken(address, r.body, "XML", "not a list of harvestables: %v", err)
		}
		all = append(all, page.Briefs...)
		switch {
		case len(all) == page.count:
			return all, nil
		case len(page.Briefs) == 0, len(all) > page.count:
			return nil, s.broken(address, nil, "", "the list counts %d jobs and has %d: it was changed while it was read, or cut", page.count, len(all))
		case out.Requests >= maxPages:
			return nil, s.broken(address, nil, "", "the list does not end: %d pages were read", out.Requests)
		}
	}
}

func acceptXML() http.Header { return http.Header{"Accept": {"application/xml"}} }

func (s harvestables) recordAt(id string) string {
	return s.at("/harvestables/"+id+"/", nil)
}

func (s harvestables) record(ctx context.Context, b brief) (record, error) {
	address := s.recordAt(b.ID)
	got, err := s.exchange(ctx, http.MethodGet, address, acceptXML(), nil)
	if err != nil {
		return record{}, err
	}
	r, err := readRecord(got.body)
	if err != nil {
		return r, s.broken(address, got.body, "XML", "not a harvestable: %v", err)
	}
	if r.id != "" && r.id != b.ID {
		return r, s.broken(address, nil, "", "the record says that it is job %s", r.id)
	}
	if r.id = b.ID; r.text("lastUpdated") == "" {
		r.set("lastUpdated", b.LastUpdated)
	}
	return r, nil
}

// each does n things, some at the same time; it gives up, with its last error, once
// so many in a row have failed for want of an answer.
func each(ctx context.Context, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next, lost := make(chan int), 0
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(n, abreast) {
		workers.Go(func() {
			for i := range next {
				err := do(ctx, i)
				mu.Lock()
				if lost++; !away(err) {
					lost = 0
				}
				if lost >= mostLost {
					cancel(fmt.Errorf("%d requests in a row failed: %w", lost, err))
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// away: nobody answered, or nobody who could.
func away(err error) bool {
	switch harvest.KindOf(err) {
	case harvest.KindTimeout, harvest.KindUnreachable, harvest.KindServerError, harvest.KindThrottled:
		return true
	default:
		return false
	}
}
