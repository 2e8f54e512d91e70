package workflows

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

const recorded = "testdata/replay"

// TestReplay replays every recorded history. One that fails would leave runs
// stuck that were open at a deploy; docs/change-a-workflow.md says what to do.
func TestReplay(t *testing.T) {
	t.Parallel()
	files := recordings(t)
	require.GreaterOrEqual(t, len(files), len(scenarios()), "every scenario has a history")
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, recorded+"/"), func(t *testing.T) {
			t.Parallel()
			replayer := worker.NewWorkflowReplayer()
			Register(replayer)
			require.NoError(t, replayer.ReplayWorkflowHistory(quiet{}, load(t, file)))
		})
	}
}

// recordings are the histories of this tree and, in a folder each, of releases.
func recordings(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.json*", "*/*.json*"} {
		found, err := filepath.Glob(filepath.Join(recorded, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	return files
}

// TestReleasesAreRecorded: a release without its histories would leave nothing that
// later changes are replayed against.
func TestReleasesAreRecorded(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../CHANGELOG.md")
	require.NoError(t, err)
	require.Empty(t, unrecorded(string(changelog), recordings(t)), "make histories VERSION=…; docs/change-a-workflow.md")

	text := "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-02)\n\n## 0.1.0 (2026-12-01)\n"
	require.Equal(t, []string{"0.2.0"}, unrecorded(text, []string{recorded + "/plain.json", recorded + "/0.1.0/plain.json.gz"}))
	require.Empty(t, unrecorded(text, []string{recorded + "/0.2.0/plain.json.gz", recorded + "/0.1.0/plain.json.gz"}))
}

// unrecorded lists the releases of a changelog that have no histories.
func unrecorded(changelog string, files []string) (versions []string) {
	for line := range strings.Lines(changelog) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "##" || fields[1] == "Unreleased" {
			continue
		}
		folder := filepath.Join(recorded, fields[1])
		if !slices.ContainsFunc(files, func(file string) bool { return filepath.Dir(file) == folder }) {
			versions = append(versions, fields[1])
		}
	}
	return versions
}

// TestReplayNotices proves that a replay can fail: a history in which the run
// was closed before its items were fetched is not ours.
func TestReplayNotices(t *testing.T) {
	t.Parallel()
	h := load(t, filepath.Join(recorded, "plain.json"))
	for _, e := range h.Events {
		if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == "FetchItems" {
			a.ActivityType.Name = "CloseRun"
			break
		}
	}
	replayer := worker.NewWorkflowReplayer()
	Register(replayer)
	require.ErrorContains(t, replayer.ReplayWorkflowHistory(quiet{}, h), "nondeterministic")
}

// TestRecordingsAreClean: histories are public, and say nothing about where they
// were made.
func TestRecordingsAreClean(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, file := range recordings(t) {
		text := string(read(t, file))
		for _, word := range []string{"@" + host, `"` + host + ":", home + "/", "/tmp/", "127.0.0.1", "localhost"} {
			require.NotContains(t, text, word, "%s", file)
		}
		for _, e := range load(t, file).Events {
			for _, who := range []string{
				e.GetWorkflowExecutionStartedEventAttributes().GetIdentity(), e.GetWorkflowTaskStartedEventAttributes().GetIdentity(),
				e.GetWorkflowTaskCompletedEventAttributes().GetIdentity(), e.GetActivityTaskStartedEventAttributes().GetIdentity(),
				e.GetActivityTaskCompletedEventAttributes().GetIdentity(),
			} {
				require.Contains(t, []string{"", identity}, who, "%s event %d", file, e.EventId)
			}
			if q := e.GetWorkflowTaskScheduledEventAttributes().GetTaskQueue(); q.GetKind() == enumspb.TASK_QUEUE_KIND_STICKY {
				require.Equal(t, sticky, q.Name, "%s event %d", file, e.EventId)
			}
		}
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close() // only read
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		r, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, json.Valid(b), file)
	return b
}

func load(t *testing.T, file string) *historypb.History {
	t.Helper()
	h, err := client.HistoryFromJSON(strings.NewReader(string(read(t, file))), client.HistoryJSONOptions{})
	require.NoError(t, err)
	return h
}
