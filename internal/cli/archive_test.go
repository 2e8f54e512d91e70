package cli

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
)

// archiveParams are those of a protocol with sets and dates.
type archiveParams struct {
	URL    string `json:"url" doc:"address of the repository" required:"true" example:"https://example.org/oai"`
	Prefix string `json:"prefix" doc:"metadata format" default:"oai_dc"`
	Set    string `json:"set" doc:"only of this set"`
	From   string `json:"from" doc:"nothing older"`
	Until  string `json:"until" doc:"nothing newer"`
	Dates  string `json:"granularity" doc:"how dates are written"`
	Token  string `json:"token" doc:"the key of the source" secret:"true"`
}

// archive goes on from dates and tells facts of an address.
type archive struct{ client *http.Client }

func archiveSet(t testing.TB) fetchers.Set {
	t.Helper()
	set, err := sampleSet(t).With("oaipmh", func(c *http.Client) harvest.Fetcher { return archive{c} })
	require.NoError(t, err)
	return set
}

func (archive) Describe() harvest.Description {
	return harvest.Description{Summary: "reads an archive that is made up", Params: archiveParams{}, Identity: []string{"url", "set"}, Protocol: true}
}

func (archive) Fetch(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(func(harvest.Page, error) bool) {}
}

func (archive) Resume(req harvest.Request, position map[string]string) (json.RawMessage, error) {
	p, err := harvest.DecodeParams[archiveParams](req.Params)
	if err != nil {
		return nil, err
	}
	for name, value := range position {
		if name != "from" {
			return nil, harvest.Errorf(harvest.KindMisconfigured, "read position", name, "no such part of a position; there is from")
		}
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return nil, harvest.Errorf(harvest.KindMisconfigured, "read position", name, "%q is not a date; write 2026-05-01", value)
		}
	}
	return json.Marshal(map[string]string{"from": position["from"], "set": p.Set})
}

// Probe asks an address for what the archive says of itself, as JSON.
func (a archive) Probe(ctx context.Context, address string) (harvest.Finding, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return harvest.Finding{}, err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return harvest.Finding{}, harvest.AsError(err)
	}
	defer resp.Body.Close() // only read
	if resp.StatusCode != http.StatusOK {
		return harvest.Finding{}, &harvest.Error{Kind: harvest.KindServerError, Op: "get", On: address, Err: errors.New(resp.Status), Status: resp.StatusCode}
	}
	f := harvest.Finding{Sure: 100}
	if err := json.NewDecoder(resp.Body).Decode(&f.Facts); err != nil {
		return harvest.Finding{Detail: "what came is not an archive"}, nil // another kind of source
	}
	f.Title = f.Facts[0].Value
	return f, nil
}
