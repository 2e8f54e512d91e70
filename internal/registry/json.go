package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// pageSize is how many jobs one request asks for.
const pageSize = 1000

// jsonService speaks our own dialect: docs/registry-api.yaml.
type jsonService struct{ browser }

// jsonPage is one page of GET /jobs.
type jsonPage struct {
	Jobs []json.RawMessage `json:"jobs"`
	Next string            `json:"next"`
}

// List is part of Service. The validators are those of the first page, which speak
// for the whole list.
func (s jsonService) List(ctx context.Context, known Known) (Listing, error) {
	out := Listing{}
	after, seen := "", map[string]bool{}
	for {
		address := s.at("/jobs", pageQuery(after))
		header := http.Header{"Accept": {"application/json"}}
		if out.Requests == 0 {
			known.ask(header)
		}
		r, err := s.exchange(ctx, http.MethodGet, address, header, nil)
		if err != nil {
			return Listing{}, err
		}
		out.Requests++
		if r.status == http.StatusNotModified {
			if out.Requests > 1 || known.ETag == "" && known.Modified == "" {
				return Listing{}, s.broken(address, nil, "", "HTTP status 304, and nothing was asked that could be unchanged")
			}
			return Listing{Unchanged: true, ETag: known.ETag, Modified: known.Modified, Requests: 1}, nil
		}
		if out.Requests == 1 {
			out.ETag, out.Modified = r.header.Get("ETag"), r.header.Get("Last-Modified")
		}
		page, err := s.page(address, r.body)
		if err != nil {
			return Listing{}, err
		}
		out.take(page.Jobs)
		if page.Next == "" {
			return out.whole(), nil
		}
		if seen[page.Next] || out.Requests >= maxPages || len(out.Jobs) > maxJobs {
			return Listing{}, s.broken(address, nil, "", "the list does not end: after %d pages it goes on at %q", out.Requests, page.Next)
		}
		after, seen[page.Next] = page.Next, true
	}
}

func pageQuery(after string) url.Values {
	q := url.Values{"limit": {fmt.Sprint(pageSize)}}
	if after != "" {
		q.Set("after", after)
	}
	return q
}

// ask makes a request conditional.
func (k Known) ask(header http.Header) {
	if k.ETag != "" {
		header.Set("If-None-Match", k.ETag)
	}
	if k.Modified != "" {
		header.Set("If-Modified-Since", k.Modified)
	}
}

func (s jsonService) page(address string, body []byte) (jsonPage, error) {
	var page jsonPage
	if err := json.Unmarshal(body, &page); err != nil {
		return page, s.broken(address, body, "JSON", "not JSON as docs/registry-api.yaml has it: %v", err)
	}
	if page.Jobs == nil {
		return page, s.broken(address, body, "JSON", "the answer has no list `jobs`; one without any job is {\"jobs\":[]}")
	}
	return page, nil
}

// take reads the jobs of one page, each by itself.
func (l *Listing) take(jobs []json.RawMessage) {
	for _, raw := range jobs {
		j, err := readJob(raw)
		if err != nil {
			l.Problems = append(l.Problems, Problem{ID: j.ID, Text: err.Error()})
			continue
		}
		l.Jobs = append(l.Jobs, j)
	}
}

// jsonJob is a job as our own dialect writes it.
type jsonJob struct {
	ID       string                     `json:"id"`
	Name     string                     `json:"name"`
	Enabled  *bool                      `json:"enabled"`
	Timing   json.RawMessage            `json:"timing"`
	Fetcher  string                     `json:"fetcher"`
	Params   json.RawMessage            `json:"params"`
	Policies map[string]json.RawMessage `json:"policies"`
	Owner    string                     `json:"owner"`
	Tags     []string                   `json:"tags"`
	Run      string                     `json:"run"`
	Stop     string                     `json:"stop"`
	OnChange string                     `json:"on_change"`
}

func jobKeys() []string {
	return []string{"id", "name", "enabled", "timing", "fetcher", "params", "policies", "owner", "tags", "run", "stop", "on_change"}
}

// readJob reads a job strictly: a key that is not known might have been `enabled`.
// Of one that cannot be read, the id is returned where there is one.
func readJob(raw json.RawMessage) (Job, error) {
	var named struct{ ID any }
	_ = json.Unmarshal(raw, &named) // the strict reading tells
	id, _ := named.ID.(string)
	if CheckID(id) != nil {
		id = ""
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var in jsonJob
	if err := d.Decode(&in); err != nil {
		return Job{ID: id}, unreadable(err)
	}
	if err := CheckID(in.ID); err != nil {
		return Job{}, err
	}
	return in.job()
}

func unreadable(err error) error {
	text := err.Error()
	if key, ok := strings.CutPrefix(text, "json: unknown field "); ok {
		key = strings.Trim(key, `"`)
		if near := wording.Nearest(key, jobKeys()); near != "" {
			return fmt.Errorf("a job has no key %q; did you mean %s?", key, near)
		}
		return fmt.Errorf("a job has no key %q; there are %s", key, strings.Join(jobKeys(), ", "))
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Errorf("cannot be read: %s is a %s, and must be a %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return fmt.Errorf("cannot be read: %s", strings.TrimPrefix(text, "json: "))
}

func (in jsonJob) job() (Job, error) {
	j := Job{
		ID: in.ID, Name: in.Name, Enabled: in.Enabled == nil || *in.Enabled, Timing: value(in.Timing), Fetcher: in.Fetcher, Params: value(in.Params),
		Policies: in.Policies, Owner: in.Owner, Tags: in.Tags, Run: in.Run, Stop: in.Stop,
	}
	switch in.OnChange {
	case "", "keep":
	case "restart":
		j.Restart = true
	default:
		return j, fmt.Errorf("on_change %q: it is keep or restart", in.OnChange)
	}
	if j.Fetcher == "" {
		return j, fmt.Errorf("has no fetcher; for example oaipmh")
	}
	for key := range j.Policies {
		if !slices.Contains(PolicyKeys(), key) {
			return j, fmt.Errorf("policies has no key %q; there are %s", key, strings.Join(PolicyKeys(), ", "))
		}
	}
	return j, nil
}

// value is a member in one spelling; null is none.
func value(raw json.RawMessage) json.RawMessage {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil || v == nil {
		return nil
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

const listedTwice = "is listed twice, and not alike; it stays as it was"

// whole finds ids that stand twice: listed alike they count once, else nobody can
// tell which holds.
func (l Listing) whole() Listing {
	byID := map[string]string{}
	twice := map[string]bool{}
	for _, j := range l.Jobs {
		whole, err := j.Encode()
		if was, known := byID[j.ID]; known && (err != nil || was != string(whole)) {
			twice[j.ID] = true
		}
		byID[j.ID] = string(whole)
	}
	for _, p := range l.Problems {
		if _, known := byID[p.ID]; known && p.ID != "" {
			twice[p.ID] = true
		}
	}
	kept := map[string]bool{}
	l.Jobs = slices.DeleteFunc(l.Jobs, func(j Job) bool {
		gone := twice[j.ID] || kept[j.ID]
		kept[j.ID] = true
		return gone
	})
	for id := range twice {
		l.Problems = append(l.Problems, Problem{ID: id, Text: listedTwice})
	}
	slices.SortFunc(l.Problems, func(a, b Problem) int { return strings.Compare(a.ID+a.Text, b.ID+b.Text) })
	return l
}
