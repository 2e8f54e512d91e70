package registry

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Imported is a job of the XML service as it is taken over once. Left says what of it
// is not taken over, a sentence each.
type Imported struct {
	Job
	Left []string
}

// ReadHarvestables reads the records of a file: one, or several below any element. A
// record that holds no job is a problem of its own.
func ReadHarvestables(body []byte) (list []Imported, problems []Problem, err error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	listed := false
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("not XML to its end: %w", err)
		}
		e, start := t.(xml.StartElement)
		listed = listed || start && e.Name.Local == "harvestableBrief"
		if !start || e.Name.Local != "harvestable" {
			continue
		}
		var in xmlRecord
		if err := d.DecodeElement(&in, &e); err != nil {
			return nil, nil, fmt.Errorf("not XML to its end: %w", err)
		}
		r, err := in.record()
		if err != nil {
			problems = append(problems, Problem{ID: r.id, Text: err.Error()})
			continue
		}
		list = append(list, r.imported())
	}
	switch {
	case listed && len(list) == 0:
		return nil, nil, errors.New("this is the list, which does not say what the jobs are; give the address of the service instead, which ends in /harvester/records")
	case len(list)+len(problems) == 0:
		return nil, nil, errors.New("there is no harvestable in it")
	}
	return list, problems, nil
}

// FetchHarvestables reads all records of a service.
func FetchHarvestables(ctx context.Context, address string, c *http.Client) (list []Imported, problems []Problem, err error) {
	base, err := checkURL(strings.TrimSuffix(strings.TrimRight(address, "/"), "/harvestables"))
	if err != nil {
		return nil, nil, err
	}
	s := harvestables{browser: browser{client: c, base: base, registry: base.Host}}
	records, out, err := s.read(ctx, Known{})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		list = append(list, r.imported())
	}
	return list, out.Problems, nil
}

func (r record) imported() Imported {
	i := Imported{Job: r.job("")}
	if i.Unsupported != "" {
		return i
	}
	for _, f := range r.fields {
		if why := r.left(f.XMLName.Local, strings.TrimSpace(f.Text)); why != "" && !slices.Contains(i.Left, why) {
			i.Left = append(i.Left, why)
		}
	}
	if len(i.Timing) == 0 {
		i.Left = append(i.Left, "scheduleString is empty, so that it ran once: no schedule; to run it: starter trigger NAME")
	} else if fields := strings.Fields(r.text("scheduleString")); fields[0] == "*" || fields[1] == "*" {
		i.Left = append(i.Left, "scheduleString is due more often than daily, which was made daily there; so it is here")
	}
	return i
}

// left says why a field is not taken over; "" of one that is, that says how it went
// there, or that has the value of one that nobody set.
func (r record) left(name, value string) string {
	if usual, known := fieldsTaken()[name]; known && (usual == "" || usual == value) || value == "false" {
		return ""
	}
	if why := fieldsLeft()[name]; why != "" && (value != "" || name == "storage" || name == "transformation") {
		return name + ": " + why
	}
	if value == "" {
		return ""
	}
	return name + " is not taken over"
}

// fieldsTaken are fields that are taken over or say how it went, and those that are
// nothing to tell of as long as they have their usual value.
func fieldsTaken() map[string]string {
	out := map[string]string{
		"keepPartial": "true", "logLevel": "INFO", "mailLevel": "WARN", "failedRecordsLogging": "CLEAN_DIRECTORY",
		"maxSavedFailedRecordsPerRun": "100", "maxSavedFailedRecordsTotal": "1000",
	}
	for _, name := range []string{
		"id", "name", "enabled", "scheduleString", "lastUpdated", "url", "metadataPrefix", "oaiSetName", "encoding", "dateFormat", "fromDate",
		"retryCount", "retryWait", "timeout", "usedBy", "managedBy",
		"currentStatus", "message", "amountHarvested", "initiallyHarvested", "lastHarvestStarted", "lastHarvestFinished", "nextHarvestSchedule",
	} {
		out[name] = ""
	}
	return out
}

func fieldsLeft() map[string]string {
	return map[string]string{
		"untilDate":          "it bounds one run there; the first run here goes on to today",
		"resumptionToken":    "a harvest was broken off there; the first run here begins at fromDate",
		"harvestImmediately": "a run is asked for: starter trigger NAME",
		"storage":            "where records went is not taken over; see starter documents changes and documents export",
		"transformation":     "documents stay here as the source wrote them",
		"overwrite":          "records are not replaced as a whole here; refresh makes a full pass",
		"keepPartial":        "pages that came are kept here, whatever follows",
		"clearRtOnError":     "a token that breaks is given up here by itself",
		"mailAddress":        "whom to tell stands under notify",
		"mailLevel":          "what to tell stands under notify",
	}
}
