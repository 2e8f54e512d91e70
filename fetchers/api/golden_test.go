package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
)

// paramsOf are the params for the recorded answer of a file.
func paramsOf(path, base string) json.RawMessage {
	text := `{"primary_key":"$.id","fields":{"title":"$.title","published":"$.created_at","url":"$.html_url","body":"$.body","labels":"$.labels[*].name"}`
	switch {
	case strings.Contains(path, "crossref"):
		text = `{"data_selector":"$.message.items","primary_key":"$.DOI","fields":{"title":"$.title[0]","published":"$.indexed['date-time']","url":"$.URL","authors":"$.author[*].family","journal":"$['container-title']"}`
	case strings.Contains(path, "albo"):
		text = `{"format":"xml","data_selector":"$.response.records.record","primary_key":"$['@id']"`
	}
	return json.RawMessage(text + `,"url":"` + base + `"}`)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Answers{Name: Name, New: New, Files: "testdata/*ml", Least: 1, Params: paramsOf}.Run(t)
	golden.Answers{Name: Name, New: New, Files: "testdata/*.json", Least: 2, Params: paramsOf}.Run(t)
}

func TestTheReadmeShowsARealDocument(t *testing.T) {
	t.Parallel()
	golden.Readme(t, "testdata/github-issues.json.golden")
}
