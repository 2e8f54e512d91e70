package x

import (
	"encoding/json"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Answers{Name: Name, New: New, Files: "testdata/*.json", Least: 1, Params: func(_, base string) json.RawMessage {
		return json.RawMessage(`{"query":"genova","token":"t","url":"` + base + `"}`)
	}}.Run(t)
}

func TestTheReadmeShowsARealDocument(t *testing.T) {
	t.Parallel()
	golden.Readme(t, "testdata/search.json.golden")
}
