package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/harvest"
)

const notices, perPage = 7, 3

// source answers as a bulletin of seven notices does.
func source(w http.ResponseWriter, r *http.Request) { serve(w, r, notices) }

func serve(w http.ResponseWriter, r *http.Request, notices int) {
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	answer := wire{Bulletin: "albo", More: after+perPage < notices}
	for n := after + 1; n <= min(after+perPage, notices); n++ {
		one := fmt.Sprintf(`{"notices":[{"number":%d,"date":"2026-05-%02dT08:00:00Z","title":"Città %d","text":"È così."}]}`, n, n, n)
		var w wire
		if json.Unmarshal([]byte(one), &w) == nil {
			answer.Notices = append(answer.Notices, w.Notices...)
		}
	}
	json.NewEncoder(w).Encode(answer) // the client may be gone
}

func paramsFor(base string) json.RawMessage {
	return json.RawMessage(`{"url":` + strconv.Quote(base+"/notices") + `}`)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	c := fetchertest.Case{New: newBulletin, Source: http.HandlerFunc(source), Params: paramsFor, Pages: 3, Growing: growing}
	for n := range notices {
		c.IDs = append(c.IDs, fmt.Sprintf("albo/%d", n+1))
	}
	fetchertest.Run(t, c)
}

// growing is a bulletin that gets another notice with each call of grow.
func growing() (bulletin http.Handler, grow func() (id string)) {
	var n atomic.Int64
	n.Store(notices)
	bulletin = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, int(n.Load())) })
	return bulletin, func() string { return fmt.Sprintf("albo/%d", n.Add(1)) }
}

func TestGoesOnFromTheCheckpoint(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(source))
	t.Cleanup(s.Close)
	var got []harvest.Document
	var last harvest.Page
	keep := harvest.CommitFunc(func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
		got, last = append(got, p.Documents...), p
		return harvest.PageTally(&p), nil
	})
	fetch := func(checkpoint string) harvest.Tally {
		req := harvest.Request{Params: paramsFor(s.URL), Checkpoint: json.RawMessage(checkpoint)}
		sum, err := harvest.Pump(t.Context(), newBulletin(s.Client()), req, keep)
		require.NoError(t, err)
		return sum
	}

	fetch(`{"after":5}`)
	require.Len(t, got, 2)
	require.Equal(t, "Città 6", got[0].Title)
	require.JSONEq(t, `{"after":7}`, string(last.Checkpoint))
	require.True(t, fetch(`{"after":7}`).NotModified, "nothing above the last number is unchanged, not empty")
}
