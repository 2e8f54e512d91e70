package paramspec_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

type sampleParams struct {
	URL     string            `json:"url" doc:"where" required:"true" example:"https://x.org"`
	Series  string            `json:"series" doc:"which" enum:"one,two" default:"one"`
	Max     int               `json:"max_entries" doc:"how many"`
	Ratio   float64           `json:"ratio" doc:"how much"`
	Token   string            `json:"token,omitempty" doc:"the key" secret:"true"`
	Sets    []string          `json:"sets" doc:"all of them"`
	Fields  map[string]string `json:"fields" doc:"what for"`
	Deep    *bool             `json:"deep" doc:"or not"`
	Skipped string            `json:"-"`
	Bare    string
	hidden  string
}

func (p sampleParams) Validate() error {
	if p.Max < 0 {
		return errors.New("max_entries is 0 or more")
	}
	_ = p.hidden
	return nil
}

func TestFields(t *testing.T) {
	t.Parallel()
	want := []paramspec.Field{
		{Name: "url", Type: "string", Doc: "where", Required: true, Example: "https://x.org"},
		{Name: "series", Type: "string", Doc: "which", Enum: []string{"one", "two"}, Default: "one"},
		{Name: "max_entries", Type: "integer", Doc: "how many"},
		{Name: "ratio", Type: "number", Doc: "how much"},
		{Name: "token", Type: "string", Doc: "the key", Secret: true},
		{Name: "sets", Type: "array", Doc: "all of them"},
		{Name: "fields", Type: "object", Doc: "what for"},
		{Name: "deep", Type: "boolean", Doc: "or not"},
	}
	require.Equal(t, want, paramspec.Fields(sampleParams{}))
	require.Equal(t, want, paramspec.Fields(&sampleParams{}))
	require.Empty(t, paramspec.Fields(nil))
}

func TestCheckParams(t *testing.T) {
	t.Parallel()
	for params, want := range map[string][]paramspec.Problem{
		`{"url":"x","series":"two","max_entries":3,"deep":true}`: nil,
		`{"url":"x","series":"${secret:env:S}"}`:                 nil,
		`{"url":"x","series":""}`:                                nil,
		``:                                                       {{Field: "url", Text: "is required"}},
		`null`:                                                   {{Field: "url", Text: "is required"}},
		`{"url":null}`:                                           {{Field: "url", Text: "is required"}},
		`{"url":""}`:                                             {{Field: "url", Text: "is required"}},
		`[]`:                                                     {{Text: "must be a map of names and values"}},
		`{"url":"x"} trailing`:                                   {{Text: "must be a map of names and values"}},
		`{"url":"x","ur":1}`:                                     {{Field: "ur", Text: "no such param; did you mean url?"}},
		`{"url":"x","URL":"y"}`:                                  {{Field: "URL", Text: "no such param; did you mean url?"}},
		`{"url":"x","serie":"one"}`:                              {{Field: "serie", Text: "no such param; did you mean series?"}},
		`{"url":"x","colour":1}`:                                 {{Field: "colour", Text: "no such param; there are url, series, max_entries, ratio, token, sets, fields, deep"}},
		`{"url":"x","series":"ten"}`:                             {{Field: "series", Text: `"ten": one of one, two`}},
		`{"url":3}`:                                              {{Field: "url", Text: "must be a string, not a number"}},
		`{"url":"x","max_entries":"many"}`:                       {{Field: "max_entries", Text: "must be an integer, not a string"}},
		`{"url":"x","max_entries":-1}`:                           {{Text: "max_entries is 0 or more"}},
		`{"ur":1,"series":"ten"}`: {
			{Field: "ur", Text: "no such param; did you mean url?"},
			{Field: "url", Text: "is required"},
			{Field: "series", Text: `"ten": one of one, two`},
		},
	} {
		require.Equal(t, want, paramspec.Check(json.RawMessage(params), sampleParams{}), params)
		require.Equal(t, want, paramspec.Check(json.RawMessage(params), &sampleParams{}), params)
	}
}

func TestDecodeParams(t *testing.T) {
	t.Parallel()
	p, err := harvest.DecodeParams[sampleParams](json.RawMessage(`{"url":"x","sets":["a"]}`))
	require.NoError(t, err)
	require.Equal(t, sampleParams{URL: "x", Sets: []string{"a"}}, p)
	_, err = harvest.DecodeParams[sampleParams](json.RawMessage(`{"url":"x","ur":1}`))
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.ErrorContains(t, err, "did you mean url?")
}
