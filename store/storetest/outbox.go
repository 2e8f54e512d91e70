package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func outboxTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"an alert from its message to its end": outboxAlerts,
		"what cannot be sent":                  outboxGivenUp,
		"a recorded run posts, once":           outboxRecorded,
		"alerts follow a new name":             outboxRename,
	}
}

// posts ends a run with messages, and alerts that end without one.
func posts(t *testing.T, s Store, id string, over []rows.Alert, messages ...rows.Message) {
	t.Helper()
	run := openRun(t, s, id, "a")
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: run, Outcome: outcomes.Failed, At: noon(), Outbox: messages, Over: over}))
}

func announcing(rule string, about ...rows.Alert) rows.Message {
	return rows.Message{Campaign: "news", To: "https://x.example", Payload: json.RawMessage(`{"event":"failed"}`), Rule: rule, Begins: about}
}

func alerts(t *testing.T, s Store) []rows.Alert {
	t.Helper()
	list, err := s.Alerts(t.Context(), "news")
	require.NoError(t, err)
	return list
}

func messages(t *testing.T, s Store, f rows.MessageFilter) []rows.Message {
	t.Helper()
	list, err := s.Messages(t.Context(), f)
	require.NoError(t, err)
	return list
}

func outboxAlerts(t *testing.T, s Store) {
	posts(t, s, "1", nil, announcing("r1", rows.Alert{Outcome: outcomes.Failed}), announcing("r2", rows.Alert{Entry: "feed", Key: "a", Outcome: outcomes.Gone}, rows.Alert{Entry: "feed", Key: "b", Outcome: outcomes.Gone}))
	list := alerts(t, s)
	require.Len(t, list, 3)
	require.Equal(t, rows.Alert{Campaign: "news", Rule: "r1", Outcome: outcomes.Failed, Message: list[0].Message, At: noon()}, list[0])
	require.Equal(t, "b", list[2].Key)
	end := announcing("r2")
	end.Ends = list[1:2]
	posts(t, s, "2", list[:1], end)
	list = alerts(t, s)
	require.Len(t, list, 1)
	require.Equal(t, "b", list[0].Key)
	require.Len(t, messages(t, s, rows.MessageFilter{Campaign: "news"}), 3)
	require.Empty(t, messages(t, s, rows.MessageFilter{Campaign: "other"}))
}

func outboxGivenUp(t *testing.T, s Store) {
	posts(t, s, "1", nil, announcing("r1", rows.Alert{Outcome: outcomes.Failed}))
	m := messages(t, s, rows.MessageFilter{Unsent: true})[0]
	require.Equal(t, "waiting", m.State())
	require.Equal(t, "news-1", m.RunName)
	require.NoError(t, s.Sent(t.Context(), m.ID, "refused", noon().Add(time.Hour)))
	require.Equal(t, "retrying", messages(t, s, rows.MessageFilter{Failed: true})[0].State())
	require.False(t, alerts(t, s)[0].Untold)
	require.NoError(t, s.Sent(t.Context(), m.ID, "no such hook", time.Time{}))
	m = messages(t, s, rows.MessageFilter{Run: m.Run})[0]
	require.Equal(t, "given up", m.State())
	require.True(t, m.NextAt.IsZero())
	require.Equal(t, 2, m.Attempts)
	require.True(t, alerts(t, s)[0].Untold)

	require.ErrorIs(t, s.RetryMessages(t.Context(), m.ID, 99), rows.ErrNotFound)
	require.Equal(t, "given up", messages(t, s, rows.MessageFilter{})[0].State(), "all of them or none")
	require.NoError(t, s.RetryMessages(t.Context(), m.ID))
	due, err := s.Outbox(t.Context(), 0, noon())
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.Zero(t, due[0].Attempts)
	require.False(t, alerts(t, s)[0].Untold)

	again := announcing("r1", rows.Alert{Outcome: outcomes.Failed})
	again.Replaces = []int64{m.ID}
	posts(t, s, "2", nil, again)
	left := messages(t, s, rows.MessageFilter{})
	require.Len(t, left, 1)
	require.Equal(t, "news-2", left[0].RunName)
	require.Len(t, alerts(t, s), 1)
	require.NoError(t, s.DropMessages(t.Context(), left[0].ID))
	require.Empty(t, messages(t, s, rows.MessageFilter{}))
	require.Empty(t, alerts(t, s), "it was never told")
	require.ErrorIs(t, s.DropMessages(t.Context(), left[0].ID), rows.ErrNotFound)
}

func outboxRecorded(t *testing.T, s Store) {
	run := rows.Run{RunID: "missed-1", WorkflowID: "news-missed", Campaign: "news", DueAt: noon(), Outcome: outcomes.Missed}
	for range 2 {
		require.NoError(t, s.RecordRun(t.Context(), run, announcing("r1", rows.Alert{Outcome: outcomes.Missed})))
	}
	list := messages(t, s, rows.MessageFilter{})
	require.Len(t, list, 1)
	require.Equal(t, "news-missed", list[0].RunName)
	require.Equal(t, noon(), list[0].Created)
	require.NoError(t, s.Sent(t.Context(), list[0].ID, "", time.Time{}))
	require.NoError(t, s.DropMessages(t.Context(), list[0].ID))
	require.Len(t, alerts(t, s), 1, "what was sent stays")
	require.NoError(t, s.RetryMessages(t.Context(), list[0].ID))
	require.Equal(t, "sent", messages(t, s, rows.MessageFilter{})[0].State())
}

func outboxRename(t *testing.T, s Store) {
	apply(t, s, campaign("news", "n1"))
	posts(t, s, "1", nil, announcing("r1", rows.Alert{Entry: "feed", Key: "a", Outcome: outcomes.Gone}))
	c := campaign("notizie", "n2")
	c.Was = []string{"news"}
	apply(t, s, c)
	require.Empty(t, alerts(t, s))
	list, err := s.Alerts(t.Context(), "notizie")
	require.NoError(t, err)
	require.Len(t, list, 1)
	c = campaign("notizie", "n3")
	c.WasEntry = map[string]string{"feeds": "feed"}
	apply(t, s, c)
	list, err = s.Alerts(t.Context(), "notizie")
	require.NoError(t, err)
	require.Equal(t, "feeds", list[0].Entry)
}
