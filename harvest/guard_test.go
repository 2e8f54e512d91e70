package harvest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/panics"
)

func TestAPanicCostsOneRecord(t *testing.T) {
	t.Parallel()
	var none []int
	err := harvest.Guard(func() error { _ = none[len(none)]; return nil })
	require.Equal(t, harvest.KindBadRecord, harvest.KindOf(err))
	require.Contains(t, err.Error(), "index out of range")
	p, ok := errors.AsType[*panics.Panic](err)
	require.True(t, ok)
	require.NotEmpty(t, p.Stack)

	plain := errors.New("no id")
	require.Equal(t, plain, harvest.Guard(func() error { return plain }))
	require.NoError(t, harvest.Guard(func() error { return nil }))
}

func TestADateThatNobodyCanListAgainIsNone(t *testing.T) {
	t.Parallel()
	west, east := time.FixedZone("", -5*3600), time.FixedZone("", 5*3600)
	good := time.Date(2026, 5, 3, 7, 30, 0, 0, east)
	page := harvest.Page{Listed: 5, Last: true, Documents: []harvest.Document{
		{ID: "late", Published: time.Date(9999, 12, 31, 23, 0, 0, 0, west)},
		{ID: "far", Published: time.Date(58_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "early", Published: time.Date(1, 1, 1, 1, 0, 0, 0, east)},
		{ID: "good", Published: good},
		{ID: "none"},
	}}
	book := &notebook{}
	_, err := harvest.Pump(t.Context(), script(func(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
		yield(page, nil)
	}), harvest.Request{}, book)
	require.NoError(t, err)
	require.Len(t, book.pages[0].Documents, 5, "the documents stay")
	for _, d := range book.pages[0].Documents {
		require.Equal(t, d.ID == "good", !d.Published.IsZero(), d.ID)
		_, err := json.Marshal(d.Published)
		require.NoError(t, err)
	}
	require.Equal(t, good.UTC(), book.pages[0].Documents[3].Published)
	require.Len(t, book.pages[0].Warnings, 1)
	require.Contains(t, book.pages[0].Warnings[0], "left out: 3, the first of late")
}
