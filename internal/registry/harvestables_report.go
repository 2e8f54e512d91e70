package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// Report is part of Service: a record is written back with what became of it. The
// service has no other way in; a record that somebody edits between the two requests
// loses that edit. Records that fail are refused one by one; it is an error if several
// are asked for and the service answers none.
func (s harvestables) Report(ctx context.Context, reports []Report) (map[string]string, error) {
	refused := map[string]string{}
	lost := 0
	var mu sync.Mutex
	err := each(ctx, len(reports), func(ctx context.Context, i int) error {
		err := s.tell(ctx, reports[i])
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			refused[reports[i].Job] = err.Error()
		}
		if away(err) {
			lost++
		}
		return err
	})
	if err == nil && len(reports) > 1 && lost == len(reports) {
		err = fmt.Errorf("none of %d reports was taken: %s", len(reports), refused[reports[0].Job])
	}
	return refused, err
}

// tell writes one record back: elements that say how it goes, and nothing else of it.
// lastUpdated stays, so that it does not count as changed.
func (s harvestables) tell(ctx context.Context, r Report) error {
	status := statusOf(r)
	if status == "" {
		return nil
	}
	address := s.recordAt(r.Job)
	got, err := s.exchange(ctx, http.MethodGet, address, acceptXML(), nil)
	if harvest.KindOf(err) == harvest.KindGone {
		return nil // nobody is left to be told
	}
	if err != nil {
		return err
	}
	rec, err := readRecord(got.body)
	if err != nil {
		return s.broken(address, got.body, "XML", "not a harvestable: %v", err)
	}
	if rec.kind != typeOAI {
		return nil // another harvester's job
	}
	body, err := withFields(got.body, fieldsOf(r, status))
	if now, again := readRecord(body); err != nil || again != nil || now.text("currentStatus") != status {
		return s.broken(address, got.body, "XML", "cannot be written back as it stands: %v", errors.Join(err, again))
	}
	_, err = s.exchange(ctx, http.MethodPut, address, http.Header{"Content-Type": {"application/xml"}, "Accept": {"application/xml"}}, body)
	return err
}

// statusOf is one of the service's eight words. NEW is the service's own after each
// edit, so it is written only with a word on what the first run waits for; FINISHED
// never, it is a moment within its harvester. "": there is nothing to tell.
func statusOf(r Report) string {
	switch {
	case r.State == StateRemoved:
		return ""
	case r.State == StateRefused:
		return "ERROR"
	case r.State == StateRunning, r.State == StateClosing && r.Progress != nil:
		return "RUNNING"
	}
	switch r.Ending {
	case "":
		if r.Text != "" {
			return "NEW"
		}
		return ""
	case outcomes.EndedTerminated:
		return "KILLED"
	case outcomes.EndedLater:
		return "SHUTDOWN"
	case outcomes.EndedError:
		return "ERROR"
	}
	if r.Outcome.Severity() == outcomes.Warn {
		return "WARN"
	}
	return "OK"
}

// field is an element of a job to be written; without a value it is taken out.
type field struct{ name, value string }

// fieldsOf are the elements that say how a job goes. The flag for a run now is taken
// back once the run is there, as it is there.
func fieldsOf(r Report, status string) []field {
	out := []field{{"currentStatus", status}, {"message", messageOf(r, status)}}
	if r.Run != "" {
		out = append(out, field{"harvestImmediately", "false"}, field{"amountHarvested", strconv.Itoa(r.Documents)})
	}
	for _, f := range []struct {
		name string
		at   time.Time
	}{{"lastHarvestStarted", r.Started}, {"lastHarvestFinished", r.Ended}, {"nextHarvestSchedule", r.Next}} {
		if !f.at.IsZero() {
			out = append(out, field{f.name, f.at.UTC().Truncate(time.Second).Format(time.RFC3339)})
		}
	}
	return out
}

// messageOf says in words what the service has no element for: progress, and errors
// that were recovered from.
func messageOf(r Report, status string) string {
	text := cmp.Or(r.Error, r.Text)
	if status == "RUNNING" {
		if text = cmp.Or(r.Text, "running"); r.Progress != nil {
			text += fmt.Sprintf(", %d %%", *r.Progress)
		}
	} else if text == "" && status != "OK" && r.Ending != "" {
		text = r.Ending.Words() + " (" + string(r.Outcome) + ")"
	}
	if r.Errors > 0 {
		text = cmp.Or(text, "finished") + fmt.Sprintf(", errors recovered from: %d", r.Errors)
	}
	return text
}

// withFields is a record with elements of its job replaced, or put at its end, and all
// else byte for byte as it came: what is not known here is another's.
func withFields(body []byte, fields []field) ([]byte, error) {
	w := rewriting{in: body, decoder: xml.NewDecoder(bytes.NewReader(body)), left: map[string]string{}}
	for _, f := range fields {
		w.left[f.name], w.order = f.value, append(w.order, f.name)
	}
	for {
		err := w.next()
		if errors.Is(err, io.EOF) {
			w.out.Write(w.in[w.from:])
			return w.out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// rewriting copies a record.
type rewriting struct {
	in      []byte
	decoder *xml.Decoder
	out     bytes.Buffer
	from    int64 // what of in is not copied yet
	depth   int
	job     bool              // within the element of the job
	order   []string          // of the fields
	left    map[string]string // that are not written yet
	done    map[string]bool
}

func (w *rewriting) next() error {
	begin := w.decoder.InputOffset()
	t, err := w.decoder.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case xml.StartElement:
		w.depth++
		w.job = w.job || w.depth == 2 && t.Name.Local == typeOAI
		if w.job && w.depth == 3 && w.ours(t.Name.Local) {
			return w.replace(begin, t.Name.Local)
		}
	case xml.EndElement:
		if w.depth--; w.job && w.depth == 1 {
			w.job = false
			w.rest(begin)
		}
	}
	return nil
}

func (w *rewriting) ours(name string) bool {
	_, left := w.left[name]
	return left || w.done[name]
}

// replace writes an element anew; a second one of its name goes.
func (w *rewriting) replace(begin int64, name string) error {
	w.out.Write(w.in[w.from:begin])
	if err := w.decoder.Skip(); err != nil {
		return err
	}
	w.depth--
	w.from = w.decoder.InputOffset()
	w.write(name)
	return nil
}

// rest writes what the job did not have, before its end.
func (w *rewriting) rest(begin int64) {
	w.out.Write(w.in[w.from:begin])
	w.from = begin
	for _, name := range w.order {
		w.write(name)
	}
}

func (w *rewriting) write(name string) {
	value, left := w.left[name]
	delete(w.left, name)
	if w.done == nil {
		w.done = map[string]bool{}
	}
	w.done[name] = true
	if !left || value == "" {
		return
	}
	w.out.WriteString("<" + name + ">")
	_ = xml.EscapeText(&w.out, []byte(value)) // into memory
	w.out.WriteString("</" + name + ">")
}
