package exec

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// ours reads a message of our own protocol.
func (r *reading) ours(m *message, line []byte) error {
	switch m.Type {
	case "document":
		r.add(line, m.document)
	case "checkpoint":
		r.page.Same += max(m.Same, 0)
		r.page.NotModified = r.page.NotModified || m.NotModified
		r.state(m.Value)
	case "warning":
		r.warn(m.Message)
	case "error":
		kind := harvest.Kind(m.ErrorKind)
		if !kind.Valid() {
			kind = harvest.KindBroken
		}
		r.failed = harvest.Errorf(kind, "run program", r.params.Program, "%.500s", m.Message)
		r.failed.RetryAfter = wait(m.RetryAfter)
	default:
		return harvest.Errorf(harvest.KindBroken, "read program", r.params.Program, "%.60q is no type of message", m.Type)
	}
	return nil
}

// state notes where to go on, behind what is in the page.
func (r *reading) state(value json.RawMessage) {
	if len(value) > 0 {
		r.cp.State, r.stated, r.moved = value, true, true
	}
}

const maxWarnings = 20

func (r *reading) warn(text string) {
	if len(r.page.Warnings) < maxWarnings {
		r.page.Warnings = append(r.page.Warnings, fmt.Sprintf("%.500s", text))
	}
	r.page.Partial = true
}

// singer reads a message of Singer; unknown types are passed by.
func (r *reading) singer(m *message) {
	switch strings.ToUpper(m.Type) {
	case "SCHEMA":
		r.keys[m.Stream] = m.Keys
	case "RECORD":
		keys, known := r.keys[m.Stream]
		if !known {
			r.keys[m.Stream] = nil
			r.warn("records of " + m.Stream + " come without a schema: they are read without one")
		}
		r.add(m.Record, func() (harvest.Document, error) { return r.params.record(m.Stream, m.Record, keys) })
	case "STATE":
		r.state(m.Value)
	}
}

// airbyte reads a message of Airbyte.
func (r *reading) airbyte(m *message) {
	switch {
	case m.Type == "RECORD":
		var rec airbyteRecord
		if err := json.Unmarshal(m.Record, &rec); err != nil {
			r.add(m.Record, func() (harvest.Document, error) { return harvest.Document{}, fmt.Errorf("it is no record: %w", err) })
			return
		}
		name := rec.Stream
		if rec.Namespace != "" {
			name = rec.Namespace + "." + name
		}
		r.add(rec.Data, func() (harvest.Document, error) { return r.params.record(name, rec.Data, r.keys[rec.Stream]) })
	case m.Type == "STATE":
		if next, ok := airbyteNext(r.cp.State, m.State); ok {
			r.state(next)
		}
	case m.Type == "TRACE" && m.Trace != nil:
		r.trace(m.Trace)
	case m.Type == "CONNECTION_STATUS" && m.Status.Status == "FAILED":
		r.failed = harvest.Errorf(harvest.KindServerError, "run program", r.params.Program, "it cannot reach its source: %.500s", m.Status.Message)
	case m.Type == "CONTROL" && m.Control != nil && len(m.Control.Config.Config) > 0:
		r.refresh = m.Control.Config.Config
	}
}

// trace is what a connector says of its own failures.
func (r *reading) trace(t *airbyteTrace) {
	switch {
	case t.Type == "ERROR":
		kind := map[string]harvest.Kind{"config_error": harvest.KindMisconfigured, "transient_error": harvest.KindServerError}[t.Error.Failure]
		if kind == "" {
			kind = harvest.KindBroken
		}
		r.failed = harvest.Errorf(kind, "run program", r.params.Program, "%.500s", t.Error.Message)
	case t.Status.Status == "INCOMPLETE":
		r.warn("stream " + t.Status.Name.Name + " is incomplete")
	}
	for _, reason := range t.Status.Reasons {
		if reason.Type != "RATE_LIMITED" {
			continue
		}
		if reset := reason.RateLimited.Reset; reset > 0 && t.Status.Status == "INCOMPLETE" {
			r.failed = harvest.Errorf(harvest.KindThrottled, "run program", r.params.Program, "stream %s is over its limit", t.Status.Name.Name)
			r.failed.RetryAfter = wait(time.UnixMilli(int64(min(reset, 1e15))).Sub(r.now()).Seconds())
		}
	}
}
