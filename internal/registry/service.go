package registry

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// The dialects: our own, and the XML service of a harvester for libraries.
const (
	FormatJSON         = "json"
	FormatHarvestables = "harvestables"
)

// Formats are all dialects.
func Formats() []string { return []string{FormatJSON, FormatHarvestables} }

// Known is what is known of a service from before, so that it need not say it again.
type Known struct {
	ETag, Modified string
	// Stamps are the service's marks of the jobs that are known, by id.
	Stamps map[string]string
	// Digests are those of the known jobs as they were listed, by id.
	Digests map[string]string
}

// Listing is what a service lists: all of its jobs, or nothing.
type Listing struct {
	// Unchanged: the service says that nothing has changed since Known.
	Unchanged bool
	Jobs      []Job
	// Same are jobs that are listed and, by their stamps, as they were.
	Same []string
	// Problems are jobs that are listed and cannot be read.
	Problems       []Problem
	ETag, Modified string
	// Requests is how many it took.
	Requests int
}

// Problem is a job that cannot be followed as it is listed. Of one without an ID it
// is not known which job it is: then no job can be said to be missing.
type Problem struct {
	ID   string `json:"job,omitempty"`
	Text string `json:"why"`
}

// Service is a registry as it is asked.
type Service interface {
	// List asks what there is to do, with all pages; an error is that nothing is known
	// of what there is.
	List(ctx context.Context, known Known) (Listing, error)
	// Report tells how it goes, at most MaxReports jobs a call, in their order. It
	// returns why single reports were not taken, by job; an error is that none was.
	Report(ctx context.Context, reports []Report) (refused map[string]string, err error)
}

// Open returns the service behind a registry's address. header is the resolved
// Header, or empty.
func Open(r rows.Registry, header string, c *http.Client) (Service, error) {
	base, err := checkURL(r.URL)
	if err != nil {
		return nil, err
	}
	b := browser{client: c, base: base, registry: r.Name}
	if err := b.setHeader(header); err != nil {
		return nil, err
	}
	switch r.Format {
	case FormatJSON:
		return jsonService{b}, nil
	case FormatHarvestables:
		return harvestables{browser: b}, nil
	default:
		return nil, fmt.Errorf("registry %s: format %q; there are %s", r.Name, r.Format, strings.Join(Formats(), ", "))
	}
}

// CheckURL returns an error for what cannot be a registry's address.
func CheckURL(address string) error {
	_, err := checkURL(address)
	return err
}

func checkURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the address of a registry begins with http:// or https://, for example https://registry.example.org/v1")
	case u.User != nil:
		return nil, fmt.Errorf("a password has no place in the address; give it with --header \"Authorization: Bearer ${secret:env:NAME}\"")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the address of a registry has no ? and no #; it is what /jobs or /harvestables/ is added to")
	default:
		return u, nil
	}
}

// KnownOf is what is known of a registry. A listing that has problems is read whole
// the next time, whatever has changed.
func KnownOf(r rows.Registry, jobs []rows.RegistryJob) Known {
	k := Known{ETag: r.ETag, Modified: r.Modified, Stamps: make(map[string]string, len(jobs)), Digests: make(map[string]string, len(jobs))}
	for _, j := range jobs {
		k.Digests[j.ID] = j.Listed
		if j.State != rows.JobRemoved && j.Stamp != "" {
			k.Stamps[j.ID] = j.Stamp
		}
	}
	return k
}

// Validators are those to ask with the next time: none while the listing had jobs
// that could not be read, or is not acted on, so that it comes whole again.
func (l Listing) Validators(m Merged) (etag, modified string) {
	if len(l.Problems) > 0 || m.Warning != "" {
		return "", ""
	}
	return l.ETag, l.Modified
}

// Count is how many jobs are listed.
func (l Listing) Count(known []rows.RegistryJob) int {
	if !l.Unchanged {
		return len(l.Jobs) + len(l.Same) + len(l.Problems)
	}
	n := 0
	for _, j := range known {
		if j.State == rows.JobActive && j.Missing == 0 {
			n++
		}
	}
	return n
}
