package diagnose

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Workers that poll and get nothing are the cause, unless a run is going on.
func TestNoCurrentVersion(t *testing.T) {
	t.Parallel()
	f := Facts{Subject: "news", Clock: print.Clock{Zone: time.UTC, Now: time.Now}, Campaign: &rows.Campaign{Name: "news"}, Unrouted: "vendemmia", Pollers: map[string]int{"q": 2}}
	a := Why(f)
	require.Equal(t, "no current version", a.Cause)
	require.Contains(t, a.Say, "no version of worker deployment vendemmia is current")
	require.Contains(t, a.Lines[0].Text, "set-current-version --deployment-name vendemmia")
	f.Run = &Run{Run: rows.Run{WorkflowID: "news-1", State: rows.RunOpen}}
	require.NotEqual(t, "no current version", Why(f).Cause)
}
