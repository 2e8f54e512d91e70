package registry

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Harvestable is a job of the XML service: an element of its type with its fields, of
// which an object, such as its storage, is XML.
type Harvestable struct {
	ID     string
	Kind   string // oaiPmh, xmlBulk, connector, webCrawl, status
	Fields []Field
}

// Field is one element of a job, and what stands in it, as XML.
type Field struct{ Name, XML string }

// OAI is a job of type oaiPmh, due Tuesdays, that was changed at the beginning of 2024.
func OAI(id, url string) Harvestable {
	return Harvestable{ID: id, Kind: "oaiPmh", Fields: []Field{
		{"id", id},
		{"name", "Job " + id},
		{"enabled", "true"},
		{"scheduleString", "0 11 * * 2"},
		{"harvestImmediately", "false"},
		{"lastUpdated", "2024-01-05T10:00:00Z"},
		{"url", escaped(url)},
		{"metadataPrefix", "oai_dc"},
		{"storage", "<id>5752</id><name>Index</name>"},
		{"currentStatus", "NEW"},
	}}
}

// With is the job with some fields, as XML, in the place of those that it has.
func (h Harvestable) With(fields ...Field) Harvestable {
	for _, f := range fields {
		h.Fields = append(slices.DeleteFunc(slices.Clone(h.Fields), func(was Field) bool { return was.Name == f.Name }), f)
	}
	return h
}

// Text is a field; "" where there is none.
func (h Harvestable) Text(name string) string {
	for _, f := range h.Fields {
		if f.Name == name {
			return f.XML
		}
	}
	return ""
}

func (h *Harvestable) set(name, value string) {
	h.Fields = slices.Clone(h.Fields)
	for i, f := range h.Fields {
		if f.Name == name {
			h.Fields[i].XML = escaped(value)
			return
		}
	}
	h.Fields = append(h.Fields, Field{name, escaped(value)})
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // into memory
	return b.String()
}

// Harvestables answers as the XML service of a harvester for libraries does, whose
// records say what to harvest and, written back, how it went. It is safe for use by
// many goroutines.
type Harvestables struct {
	mu       sync.Mutex
	jobs     []Harvestable
	places   map[string]int // in jobs, by id
	fault    Fault
	requests []string
	writes   map[string][]Harvestable
	// resets: as its own harvester has it, each write makes the status NEW.
	resets bool
	edited time.Time
}

// NewHarvestables makes a service with jobs.
func NewHarvestables(jobs ...Harvestable) *Harvestables {
	s := &Harvestables{places: map[string]int{}, writes: map[string][]Harvestable{}}
	s.Put(jobs...)
	return s
}

// Put adds jobs, or replaces those that are there.
func (s *Harvestables) Put(jobs ...Harvestable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if i := s.index(j.ID); i >= 0 {
			s.jobs[i] = j
			continue
		}
		s.places[j.ID] = len(s.jobs)
		s.jobs = append(s.jobs, j)
	}
}

func (s *Harvestables) index(id string) int {
	if i, known := s.places[id]; known {
		return i
	}
	return -1
}

// Edit changes fields of a job as its own pages do: with a new lastUpdated.
func (s *Harvestables) Edit(id string, fields ...Field) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(id)
	if i < 0 {
		return
	}
	j := &s.jobs[i]
	for _, f := range append(fields, Field{"lastUpdated", s.now()}) {
		j.set(f.Name, f.XML)
	}
}

// now is the time of an edit; no two have the same.
func (s *Harvestables) now() string {
	s.edited = s.edited.Add(time.Millisecond)
	if now := time.Now().UTC(); now.After(s.edited) {
		s.edited = now
	}
	return s.edited.Format("2006-01-02T15:04:05.000Z")
}

// Remove takes jobs away.
func (s *Harvestables) Remove(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = slices.DeleteFunc(s.jobs, func(j Harvestable) bool { return slices.Contains(ids, j.ID) })
	clear(s.places)
	for i, j := range s.jobs {
		s.places[j.ID] = i
	}
}

// Resets makes the service forget the status that is written, as the one does that
// runs its jobs itself.
func (s *Harvestables) Resets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resets = true
}

// Break sets a fault; nil heals.
func (s *Harvestables) Break(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Job is a job as it is now.
func (s *Harvestables) Job(id string) Harvestable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.index(id); i >= 0 {
		return s.jobs[i]
	}
	return Harvestable{}
}

// Writes are the records of a job that were written back, in order.
func (s *Harvestables) Writes(id string) []Harvestable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.writes[id])
}

// Requests are those that came.
func (s *Harvestables) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP is part of http.Handler.
func (s *Harvestables) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	fault := s.fault
	s.mu.Unlock()
	right := http.HandlerFunc(s.serve)
	if fault != nil {
		fault(w, r, right)
		return
	}
	right(w, r)
}

const harvestablesPath = "/harvester/records/harvestables/"

func (s *Harvestables) serve(w http.ResponseWriter, r *http.Request) {
	rest, ours := strings.CutPrefix(r.URL.Path, harvestablesPath)
	id, whole := strings.CutSuffix(rest, "/")
	switch {
	case ours && rest == "" && r.Method == http.MethodGet:
		s.list(w, r)
	case !ours || !whole || s.Job(id).ID == "":
		http.NotFound(w, r)
	case r.Method == http.MethodGet:
		sendXML(w, s.document(s.Job(id)))
	case r.Method == http.MethodPut:
		s.write(w, r, id)
	case r.Method == http.MethodDelete:
		s.Remove(id)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPatch:
		s.patch(w, r, id)
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// patch lets people play, which the service itself has not: field=value changes a job
// as its pages do.
func (s *Harvestables) patch(w http.ResponseWriter, r *http.Request, id string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	fields, failed := url.ParseQuery(string(body))
	if err = errors.Join(err, failed); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var list []Field
	for name := range fields {
		list = append(list, Field{name, fields.Get(name)})
	}
	s.Edit(id, list...)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Harvestables) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start, _ := strconv.Atoi(r.URL.Query().Get("start")) // 0 where it is not said
	most, err := strconv.Atoi(r.URL.Query().Get("max"))
	if err != nil {
		most = 100
	}
	begin := min(max(start, 0), len(s.jobs))
	end := min(len(s.jobs), begin+max(most, 0))
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><harvestables uri="%s" start="%d" max="%d" count="%d">`, harvestablesPath, start, most, len(s.jobs))
	for _, j := range s.jobs[begin:end] {
		fmt.Fprintf(&b, `<harvestableBrief uri="%s%s/"><id>%s</id>`, harvestablesPath, j.ID, j.ID)
		for _, name := range []string{"amountHarvested", "currentStatus", "enabled", "lastHarvestFinished", "lastHarvestStarted", "lastUpdated", "message", "name", "nextHarvestSchedule"} {
			if v := j.Text(name); v != "" {
				fmt.Fprintf(&b, "<%s>%s</%s>", name, v, name)
			}
		}
		b.WriteString("</harvestableBrief>")
	}
	b.WriteString("</harvestables>")
	sendXML(w, b.String())
}

func (s *Harvestables) document(j Harvestable) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><harvestable xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" uri="%s%s/"><id>%s</id><%s>`, harvestablesPath, j.ID, j.ID, j.Kind)
	for _, f := range j.Fields {
		fmt.Fprintf(&b, "<%s>%s</%s>", f.Name, f.XML, f.Name)
	}
	fmt.Fprintf(&b, "</%s></harvestable>", j.Kind)
	return b.String()
}

// write keeps a record as it is written.
func (s *Harvestables) write(w http.ResponseWriter, r *http.Request, id string) {
	body, err := io.ReadAll(r.Body)
	var in struct {
		XMLName xml.Name `xml:"harvestable"`
		Parts   []struct {
			XMLName xml.Name
			Fields  []struct {
				XMLName xml.Name
				Inner   string `xml:",innerxml"`
			} `xml:",any"`
		} `xml:",any"`
	}
	if err == nil {
		err = xml.Unmarshal(body, &in)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	j := Harvestable{ID: id}
	for _, part := range in.Parts {
		for _, f := range part.Fields {
			j.Kind = part.XMLName.Local
			j.Fields = append(j.Fields, Field{f.XMLName.Local, f.Inner})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes[id] = append(s.writes[id], j)
	if s.resets {
		j.set("currentStatus", "NEW")
		j.set("message", "")
	}
	if i := s.index(id); i >= 0 {
		s.jobs[i] = j
	}
	w.WriteHeader(http.StatusNoContent)
}

func sendXML(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/xml")
	_, _ = io.WriteString(w, body) // whoever is gone misses it
}
