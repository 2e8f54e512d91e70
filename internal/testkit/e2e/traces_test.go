package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// requireNowhere: a text holds none of the secrets, however they are written.
func requireNowhere(t *testing.T, where, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		for name, form := range map[string]string{
			"as it is": secret, "in hex": hex.EncodeToString([]byte(secret)), "in base64": base64.StdEncoding.EncodeToString([]byte(secret))[:12],
			"in base64, one on": base64.StdEncoding.EncodeToString([]byte(secret[1:]))[:12], "in base64, two on": base64.StdEncoding.EncodeToString([]byte(secret[2:]))[:8],
			"escaped": url.QueryEscape(secret),
		} {
			at := strings.Index(text, form)
			require.Less(t, at, 0, "%s: %s %s: %q", where, secret, name, text[max(0, at-200):min(len(text), max(0, at)+200)])
		}
	}
}

// traces are all that a run leaves: the files of the store and of Temporal, logs,
// metrics, histories.
func (h *house) traces(health string) map[string]string {
	h.t.Helper()
	all := map[string]string{"histories": h.histories()}
	for _, path := range []string{"/metrics", "/ready", "/live"} {
		resp, err := http.Get("http://" + health + path)
		require.NoError(h.t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(h.t, err)
		require.NoError(h.t, resp.Body.Close())
		all[path] = string(text)
	}
	require.NoError(h.t, filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		all[path] = string(content)
		return err
	}))
	return all
}

// histories are those of all workflows, with what is inside of payloads as it is.
func (h *house) histories() string {
	h.t.Helper()
	var all strings.Builder
	list, err := h.client.ListWorkflow(h.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000})
	require.NoError(h.t, err)
	for _, e := range list.GetExecutions() {
		events := h.client.GetWorkflowHistory(h.t.Context(), e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			require.NoError(h.t, err)
			text, err := protojson.Marshal(event)
			require.NoError(h.t, err)
			fmt.Fprintf(&all, "%s\n%s\n", text, event)
		}
	}
	require.Contains(h.t, all.String(), "CampaignWorkflow")
	return all.String()
}
