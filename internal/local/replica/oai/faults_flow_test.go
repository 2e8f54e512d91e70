package oai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"
)

func flowChecks() map[string]func(b broken) {
	took := func(b broken, name string, args []string, least time.Duration) {
		begin := time.Now()
		ask(b, b.r.FaultURL(name), args...)
		require.GreaterOrEqual(b, time.Since(begin), least)
	}
	return map[string]func(b broken){
		"slow-pages": func(b broken) { took(b, "slow-pages:40", []string{"verb", "Identify"}, 40*time.Millisecond) },
		"growing-delay": func(b broken) {
			b.base = b.r.FaultURL("growing-delay:30")
			one := b.ask(records()...)
			two := b.ask(b.next(one)...)
			took(b, "growing-delay:30", b.next(two), 60*time.Millisecond)
		},
		"hang": hangs,
		"hang-up": func(b broken) {
			_, _, err := get(b, b.base, "verb", "Identify")
			require.ErrorIs(b, err, io.EOF)
			require.Equal(b, 1, b.r.Counts().Statuses[0])
		},
		"cut-stream": func(b broken) {
			one := b.ask(records()...)
			_, body, err := get(b, b.base, b.next(one)...)
			require.ErrorIs(b, err, io.ErrUnexpectedEOF)
			require.InDelta(b, 50, bytes.Count(body, []byte("</record>")), 3, "the middle of the second page")
		},
		"drip": func(b broken) {
			resp, slow := b.get("verb", "Identify")
			require.Equal(b, int64(len(slow)), resp.ContentLength)
			require.True(b, wellFormed(slow))
			took(b, "drip:20", []string{"verb", "Identify"}, 200*time.Millisecond)
		},
	}
}

func hangs(b broken) {
	ctx, cancel := context.WithTimeout(b.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"?verb=Identify", nil)
	require.NoError(b, err)
	_, err = client(b).Do(req) // there is none
	require.ErrorIs(b, err, context.DeadlineExceeded)

	done := make(chan error, 1)
	req, err = http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, b.base+"?verb=ListSets", nil)
	require.NoError(b, err)
	c := client(b)
	go func() {
		_, err := c.Do(req) // there is none
		done <- err
	}()
	require.Eventually(b, func() bool { return b.r.Counts().Verbs["ListSets"] == 1 }, time.Minute, time.Millisecond)
	b.r.Close() // ends what hangs
	require.Error(b, <-done)
}
