package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
)

const (
	// agree is how many listings in a row must lack a job before it counts as gone.
	agree = 2
	// mostGone: a listing that lacks more than one in so many jobs is not acted on.
	mostGone = 5
)

// Merged is what a listing makes of what is known.
type Merged struct {
	// Changed are the rows that are to be kept anew.
	Changed []rows.RegistryJob
	// Missing are the known jobs that the listing lacks, by id.
	Missing []string
	// Warning is why the listing is not acted on; then Changed only counts.
	Warning string
	// Accepted is what the registry's row is to keep.
	Accepted string
	// Problems counts jobs that cannot be followed.
	Problems int
}

// Merge lays a listing over the jobs of a registry, as of the store. accept says that
// what this listing lacks may go. It is pure.
//
// A job is gone once two listings in a row lack it. A listing that lacks more than a
// fifth of the jobs, or that holds jobs nobody can name, removes none; of the former
// nothing else is acted on either, until somebody accepts it.
func Merge(r rows.Registry, jobs []rows.RegistryJob, l Listing, accept bool) (Merged, error) {
	m := merging{registry: r.Name, listing: l, known: map[string]rows.RegistryJob{}, listed: map[string]bool{}}
	for _, j := range jobs {
		m.known[j.ID] = j
	}
	m.count(jobs)
	m.out.Problems = len(l.Problems)
	if accept && len(m.out.Missing) > 0 {
		r.Accepted = m.missingDigest()
	}
	if m.suspicious(r.Accepted) {
		m.hold()
		m.out.Accepted = ""
		return m.out, nil
	}
	if len(m.out.Missing) > 0 && r.Accepted == m.missingDigest() {
		m.out.Accepted = r.Accepted
	}
	if err := m.take(); err != nil {
		return m.out, err
	}
	m.miss()
	slices.SortFunc(m.out.Changed, func(a, b rows.RegistryJob) int { return strings.Compare(a.ID, b.ID) })
	return m.out, nil
}

type merging struct {
	registry string
	listing  Listing
	known    map[string]rows.RegistryJob
	listed   map[string]bool
	active   int
	out      Merged
}

// count finds what is listed and what is missing. Nothing is known to be missing
// while a job stands there that nobody can name.
func (m *merging) count(jobs []rows.RegistryJob) {
	nameless := false
	for _, j := range m.listing.Jobs {
		m.listed[j.ID] = true
	}
	for _, id := range m.listing.Same {
		m.listed[id] = true
	}
	for _, p := range m.listing.Problems {
		m.listed[p.ID] = true
		nameless = nameless || p.ID == ""
	}
	for _, j := range jobs {
		if j.State != rows.JobActive {
			continue
		}
		m.active++
		lacks := !m.listed[j.ID]
		if m.listing.Unchanged {
			lacks = j.Missing > 0
		}
		if lacks && !nameless {
			m.out.Missing = append(m.out.Missing, j.ID)
		}
	}
}

func (m *merging) missingDigest() string {
	return harvest.Digest([]byte(strings.Join(m.out.Missing, "\n")))
}

// suspicious: too much is gone at once for nobody to have looked.
func (m *merging) suspicious(accepted string) bool {
	return len(m.out.Missing)*mostGone > m.active && accepted != m.missingDigest()
}

// hold counts and changes nothing else.
func (m *merging) hold() {
	m.out.Warning = fmt.Sprintf("the listing lacks %d of %s, more than a fifth: nothing of it is acted on; if they are to go: starter registry sync %s --accept-removals",
		len(m.out.Missing), wording.Count(m.active, "job"), m.registry)
	for _, id := range m.out.Missing {
		j := m.known[id]
		if j.Missing < agree {
			j.Missing++
			m.out.Changed = append(m.out.Changed, j)
		}
	}
}

// take lays what is listed over what is known.
func (m *merging) take() error {
	for _, job := range m.listing.Jobs {
		row, known := m.known[job.ID]
		if !known {
			row = rows.RegistryJob{Registry: m.registry, ID: job.ID, Campaign: Campaign(m.registry, job.ID)}
		}
		next, err := listed(row, job)
		if err != nil {
			return err
		}
		m.keep(row, next)
	}
	for _, id := range m.listing.Same {
		if row, known := m.known[id]; known {
			next := row
			next.Missing, next.State = 0, rows.JobActive
			m.keep(row, back(row, next))
		}
	}
	for _, p := range m.listing.Problems {
		if p.ID == "" {
			continue
		}
		row, known := m.known[p.ID]
		if !known {
			row = rows.RegistryJob{Registry: m.registry, ID: p.ID, Campaign: Campaign(m.registry, p.ID), State: rows.JobActive}
		}
		next := row
		next.Problem, next.Missing, next.Stamp = p.Text, 0, ""
		m.keep(row, next)
	}
	return nil
}

// listed is a row with the job as it is listed now. A problem that came of making
// its campaign stays until the job is another.
func listed(row rows.RegistryJob, job Job) (rows.RegistryJob, error) {
	next := row
	spec, err := job.Encode()
	if err != nil {
		return next, err
	}
	digest := job.Digest()
	if digest != row.Listed || row.Applied == row.Listed {
		next.Problem = "" // else it came of making its campaign, which is tried again
	}
	if job.Unsupported != "" {
		next.Problem = job.Unsupported
	}
	if row.Spec == nil && row.State == "" {
		next.Stopped = job.Stop // it was not running here when that was asked
	}
	next.Spec, next.Listed, next.Stamp, next.Missing, next.State = spec, digest, job.Stamp, 0, rows.JobActive
	return back(row, next), nil
}

// back makes the campaign anew of a job that had gone: it is paused, or removed.
func back(was, next rows.RegistryJob) rows.RegistryJob {
	if was.State == rows.JobClosing || was.State == rows.JobRemoved {
		next.Applied = ""
	}
	return next
}

func (m *merging) keep(was, next rows.RegistryJob) {
	if !same(was, next) {
		m.out.Changed = append(m.out.Changed, next)
	}
}

func same(a, b rows.RegistryJob) bool {
	spec := string(a.Spec) == string(b.Spec)
	a.Spec, b.Spec = nil, nil
	return spec && a.State == b.State && a.Listed == b.Listed && a.Applied == b.Applied && a.Missing == b.Missing && a.Problem == b.Problem && a.Stamp == b.Stamp
}

// miss counts what is missing, and closes what two listings agree about.
func (m *merging) miss() {
	for _, id := range m.out.Missing {
		row := m.known[id]
		next := row
		next.Missing = min(row.Missing+1, agree)
		if next.Missing >= agree {
			next.State = rows.JobClosing
		}
		m.out.Changed = append(m.out.Changed, next)
	}
}

// Over are the jobs with what was changed, by id.
func (m Merged) Over(jobs []rows.RegistryJob) []rows.RegistryJob {
	byID := make(map[string]rows.RegistryJob, len(jobs))
	for _, list := range [][]rows.RegistryJob{jobs, m.Changed} {
		for _, j := range list {
			byID[j.ID] = j
		}
	}
	out := make([]rows.RegistryJob, 0, len(byID))
	for _, j := range byID {
		out = append(out, j)
	}
	slices.SortFunc(out, func(a, b rows.RegistryJob) int { return strings.Compare(a.ID, b.ID) })
	return out
}
