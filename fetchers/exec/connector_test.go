package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// connector is a program that writes what a real connector wrote (testdata/connector):
// reads is what it does when it is to read, with the path of a state in $S, if any.
func connector(t *testing.T, reads string) (dir, params string) {
	t.Helper()
	dir, program := script(t, fmt.Sprintf(`mode=$1
while [ $# -gt 0 ]; do [ "$1" = --state ] && S=$2; shift; done
cd '%s'
case $mode in discover) cat discover.jsonl;; read) %s;; esac
`, absolute(t, "testdata/connector"), reads))
	return dir, fmt.Sprintf(`{"program":%q,"protocol":"airbyte","streams":["notices"],"title":"title","published":"date","batch":1}`, program)
}

// packed is the state that the connector wrote behind notice 3.
const packed = `{"format":"base64/gzip","data":"H4sIAAAAAAAAAwXBMQ6AQAgEwL9sbWfHZwgxe9HCM2HpCH93puGuSsbrK6l7U3JVFGE9B/ZXz0XBGrGKCTtnftDPN501AAAA"}`

// TestARealConnector: streams are discovered, records have their ids and dates, and the
// connector gets its state back as it wrote it.
func TestARealConnector(t *testing.T) {
	t.Parallel()
	dir, params := connector(t, `if [ -z "$S" ]; then cat read.jsonl; elif [ "$(cat "$S")" = '`+packed+`' ]; then cat resumed.jsonl; else exit 9; fi`)
	first := fetch(t.Context(), dir, params, nil)
	require.NoError(t, first.err)
	require.Equal(t, []string{"notices/1", "notices/2", "notices/3", "notices/4", "notices/5", "notices/6", "notices/7"}, first.ids)
	var behind3 []byte
	for _, p := range first.pages {
		require.Empty(t, p.Warnings)
		require.Empty(t, p.Rejects)
		if n := len(p.Documents); n > 0 && p.Documents[n-1].ID == "notices/3" {
			behind3 = p.Checkpoint
			require.Equal(t, "Città 3", p.Documents[n-1].Title)
			require.Equal(t, 3, p.Documents[n-1].Published.Day())
		}
	}
	resumed := fetch(t.Context(), dir, params, behind3)
	require.NoError(t, resumed.err)
	require.Equal(t, []string{"notices/4", "notices/5", "notices/6", "notices/7"}, resumed.ids)
}

// TestAConnectorThatFailsWithStatus0 says that its connection failed, and ends well.
func TestAConnectorThatFailsWithStatus0(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"failed", "check-failed"} {
		dir, params := connector(t, "cat "+name+".jsonl")
		g := fetch(t.Context(), dir, params, nil)
		require.Equal(t, harvest.KindServerError, harvest.KindOf(g.err), "%s: %v", name, g.err)
		require.ErrorContains(t, g.err, "ECONNREFUSED")
		require.Empty(t, g.ids)
	}
}

// TestOtherMessagesOfAConnector are understood, and bring nothing.
func TestOtherMessagesOfAConnector(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"spec", "check"} {
		dir, params := connector(t, "cat "+name+".jsonl")
		g := fetch(t.Context(), dir, params, nil)
		require.NoError(t, g.err, name)
		require.Empty(t, g.ids, name)
	}
}
