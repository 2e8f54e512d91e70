package fetchertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/harvest"
)

// The whole test of a fetcher is a function TestConformance like this one: a source that
// is well, the params to ask it with, and the ids that it holds.
func Example() {
	conformance := func(t *testing.T) {
		fetchertest.Run(t, fetchertest.Case{
			New:    func(c *http.Client) harvest.Fetcher { return model{client: c} },
			Source: http.HandlerFunc(numbers),
			Params: func(base string) json.RawMessage { return json.RawMessage(`{"url":` + strconv.Quote(base) + `}`) },
			IDs:    allIDs(), Pages: pages, Folder: "testdata/model",
		})
	}
	fmt.Println("conforms:", passes(conformance))
	// Output: conforms: true
}
