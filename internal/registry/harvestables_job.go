package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
)

// typeOAI is the one type of job that is run; jobTypes are all that the service has.
const typeOAI = "oaiPmh"

func jobTypes() []string { return []string{typeOAI, "xmlBulk", "connector", "webCrawl", "status"} }

// job is a record as a job of ours.
func (r record) job(zone string) Job {
	j := Job{ID: r.id, Name: r.text("name"), Enabled: r.is("enabled"), Type: r.kind, Stamp: r.text("lastUpdated"), Tags: r.tags()}
	switch {
	case !slices.Contains(jobTypes(), r.kind):
		j.Unsupported = fmt.Sprintf("%s is no type of job that is known, job %s", r.kind, r.id)
	case r.kind != typeOAI:
		j.Unsupported = fmt.Sprintf("%s: not supported yet, job %s", r.kind, r.id)
	case r.text("recordLimit") != "":
		j.Unsupported = fmt.Sprintf("recordLimit %s makes it a test, which is not supported yet, job %s", r.text("recordLimit"), r.id)
	default:
		s, err := schedule(r.text("scheduleString"), r.id, zone)
		if err != nil {
			j.Unsupported = err.Error()
			return j
		}
		j.Fetcher, j.Timing, j.Params, j.Policies = "oaipmh", timing(s), r.params(), r.policies()
	}
	return j
}

// timing is a schedule as it would stand in a campaign file.
func timing(s *campaigns.Schedule) json.RawMessage {
	if s == nil {
		return nil
	}
	m := map[string]any{}
	for key, list := range map[string][]string{"cron": s.Cron, "days": s.Days, "at": s.At} {
		if len(list) > 0 {
			m[key] = list
		}
	}
	if s.TimeZone != "" {
		m["time_zone"] = s.TimeZone
	}
	return encode(m)
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // texts in maps
		return nil
	}
	return raw
}

// wished are the wishes that a record expresses: harvestImmediately, also where the
// job is disabled; an empty schedule, once for each definition; a new lastUpdated with
// nothing else new, by which people stop a run there.
func (r record) wished(j Job, known Known) Job {
	was, before := known.Digests[j.ID]
	same := before && was == j.Digest()
	if stamp := known.Stamps[j.ID]; same && stamp != "" && stamp != j.Stamp {
		j.Stop = j.Stamp
	}
	switch {
	case r.is("harvestImmediately"):
		j.Run = "now " + j.Stamp
		if j.Stamp == "" {
			j.Run = "after " + r.text("lastHarvestStarted")
		}
	case j.Enabled && j.Unsupported == "" && len(j.Timing) == 0:
		j.Run = "once " + j.Digest()
	}
	return j
}

// moment reads a date as XML writes it, with a zone or, then UTC, without; the zero
// time where it is none.
func moment(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

// params are those of the fetcher oaipmh. untilDate is left out: there it bounds the
// next run only.
func (r record) params() json.RawMessage {
	p := map[string]any{}
	for ours, theirs := range map[string]string{"url": "url", "prefix": "metadataPrefix", "set": "oaiSetName", "encoding": "encoding"} {
		if v := r.text(theirs); v != "" {
			p[ours] = v
		}
	}
	if day := earliest(r.text("fromDate")); day != "" {
		p["from"] = day
	}
	switch format := r.text("dateFormat"); {
	case format == "":
	case strings.ContainsAny(format, "Hh"):
		p["granularity"] = "second"
	default:
		p["granularity"] = "day"
	}
	return encode(p)
}

// earliest is the first day that a date may mean: the one that is written, or the one
// of UTC. The time of day is left out: there it is written with the hours of a clock
// with twelve, so that 20:10 asks from 08:10 on.
func earliest(text string) string {
	t := moment(text)
	if t.IsZero() {
		return ""
	}
	return min(t.Format(time.DateOnly), t.UTC().Format(time.DateOnly))
}

// policies: retryCount counts the tries, the first among them, so that 2 is one more.
func (r record) policies() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	if n, err := strconv.Atoi(r.text("timeout")); err == nil && n > 0 {
		out["timeouts"] = encode(map[string]string{"request": strconv.Itoa(n) + "s"})
	}
	tries, err := strconv.Atoi(r.text("retryCount"))
	if err != nil {
		return out
	}
	rule := map[string]any{"when": []string{"timeout", "unreachable", "server_error", "throttled"}, "times": max(tries-1, 0)}
	if wait, err := strconv.Atoi(r.text("retryWait")); err == nil && wait > 0 && tries > 1 {
		rule["wait"] = strconv.Itoa(wait) + "s"
	}
	out["retry"] = encode([]any{rule})
	return out
}

// tags are whom a job is for, and who looks after it: lists with commas.
func (r record) tags() (out []string) {
	for _, name := range []string{"usedBy", "managedBy"} {
		for tag := range strings.SplitSeq(r.text(name), ",") {
			if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(out, tag) {
				out = append(out, tag)
			}
		}
	}
	return out
}
