package exec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/exec"
	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
)

// TestGolden reads outputs of programs, by the protocol that their name ends in.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{Files: "testdata/*.*[re]", Least: 2, Got: func(t *testing.T, path string) []byte {
		dir, program := script(t, "cat '"+absolute(t, path)+"'")
		protocol := strings.TrimPrefix(filepath.Ext(path), ".")
		params := fmt.Sprintf(`{"program":%q,"protocol":%q,"published":"updated_at","title":"name"`, program, protocol)
		if protocol == "airbyte" {
			params += `,"catalog":{"streams":[{"stream":{"name":"refunds","source_defined_primary_key":[["id"]]},"sync_mode":"incremental"}]}`
		}
		out := &golden.Lines{}
		g := fetch(t.Context(), dir, params+"}", nil)
		require.NoError(t, g.err)
		for _, p := range g.pages {
			out.Page(t, exec.Name, p)
			var at struct {
				State json.RawMessage `json:"state"`
			}
			require.NoError(t, json.Unmarshal(p.Checkpoint, &at))
			out.Add(t, at)
		}
		return out.Bytes()
	}}.Run(t)
}

func TestTheReadmeShowsARealDocument(t *testing.T) {
	t.Parallel()
	golden.Readme(t, "testdata/tap.singer.golden")
}

// TestStatesGoBack: what a connector said last of each stream is what it gets, as a list.
func TestStatesGoBack(t *testing.T) {
	t.Parallel()
	dir, program := script(t, `while [ $# -gt 0 ]; do [ "$1" = --state ] && S=$2; shift; done
[ -n "$S" ] && printf '{"type":"RECORD","record":{"stream":"s","data":{"id":1,"state":%s}}}\n' "$(cat "$S")"
echo '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"a"},"stream_state":{"n":1}}}}'
echo '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"b"},"stream_state":{"n":1}}}}'
echo '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"a"},"stream_state":{"n":2}}}}'
`)
	params := fmt.Sprintf(`{"program":%q,"protocol":"airbyte","catalog":{"streams":[]},"primary_key":["id"]}`, program)
	first := fetch(t.Context(), dir, params, nil)
	require.NoError(t, first.err)
	second := fetch(t.Context(), dir, params, first.checkpoint())
	require.NoError(t, second.err)
	state, _ := second.pages[0].Documents[0].Fields["state"].([]any)
	require.Len(t, state, 2)
	require.Contains(t, fmt.Sprint(state[1]), "n:2")
}

// TestDiscovery: streams are chosen from what a program says that it has.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	dir, program := script(t, `for a in "$@"; do [ "$a" = --discover ] && { printf '{"streams": [\n{"stream":"users","tap_stream_id":"users","schema":{}},{"stream":"logs","schema":{}}]}\n'; exit; }; done
while [ $# -gt 0 ]; do [ "$1" = --catalog ] && C=$2; shift; done
printf '{"type":"RECORD","stream":"users","record":%s}\n' "$(cat "$C")"
`)
	g := fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q,"protocol":"singer","streams":["users"]}`, program), nil)
	require.NoError(t, g.err)
	streams, _ := g.pages[0].Documents[0].Fields["streams"].([]any)
	require.Len(t, streams, 1)
	require.Contains(t, fmt.Sprint(streams[0]), "selected:true")
	g = fetch(t.Context(), dir, fmt.Sprintf(`{"program":%q,"protocol":"singer","streams":["user"]}`, program), nil)
	require.ErrorContains(t, g.err, `no stream "user"`)
}

func TestExamplesAreRight(t *testing.T) {
	t.Parallel()
	l, err := campaigns.Load([]string{"../../examples/exec/campaign.yaml", "sample.yaml"}, func(name string) (campaigns.FetcherInfo, error) {
		k, err := fetchers.Builtin().Find(name)
		return campaigns.FetcherInfo{Name: k.Name, Description: k.Description}, err
	})
	require.NoError(t, err)
	require.Empty(t, l.Problems)
	require.Len(t, l.Campaigns, 3)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	require.NoError(t, err)
	_, err = os.Stat(whole)
	require.NoError(t, err)
	return whole
}
