package oai

import (
	"net/http"
	"time"

	"github.com/stretchr/testify/require"
)

func statusChecks() map[string]func(b broken) {
	waits := func(status int, seconds bool) func(b broken) {
		return both(onceOnly(status), func(b broken) {
			begin := time.Now().Truncate(time.Second) // the header has whole seconds
			resp, _ := b.get("verb", "ListSets")
			after := resp.Header.Get("Retry-After")
			when, err := http.ParseTime(after)
			require.Equal(b, seconds, after == "1")
			require.Equal(b, seconds, err != nil)
			if !seconds {
				require.False(b, when.Before(begin.Add(time.Second)), "a second from then")
				require.False(b, when.After(time.Now().Add(time.Second)), "a second from now")
			}
		})
	}
	return map[string]func(b broken){
		"server-error": always(500), "server-error-once": onceOnly(500), "forbidden": always(403),
		"error-after": func(b broken) {
			docs := []*document{b.ask(records()...)}
			for range 2 {
				docs = append(docs, b.ask(b.next(docs[len(docs)-1])...))
			}
			require.Equal(b, []int{500, 500}, b.statuses(2, b.next(docs[2])...))
		},
		"no-default-agent": func(b broken) {
			require.Equal(b, []int{403}, b.statuses(1, "verb", "Identify"))
			for agent, want := range map[string]int{"Vendemmia/1": 200, "": 403, "Go-http-client/2.0": 403} {
				w := inside(b.r, "GET", Path+"/fault/no-default-agent?verb=Identify", "", "User-Agent", agent)
				require.Equal(b, want, w.Code, agent)
			}
		},
		"tokens-422": tokensAre(422), "tokens-500": tokensAre(500),
		"empty-window-422": emptyIs(422), "empty-window-500": emptyIs(500),
		"errors-with-status": func(b broken) {
			resp, body := b.get("verb", "none")
			require.Equal(b, 400, resp.StatusCode)
			require.Equal(b, "badVerb", parse(b, body).code())
			readable(b)
		},
		"busy-seconds": waits(503, true), "busy-date": waits(503, false), "too-many": waits(429, true),
		"busy-always": always(503),
		"moved": func(b broken) {
			resp, _ := b.get(records("set", "col_1")...)
			require.Equal(b, 302, resp.StatusCode)
			require.Equal(b, b.r.URL()+"?metadataPrefix=oai_dc&set=col_1&verb=ListRecords", resp.Header.Get("Location"))
			resp, _, err := get(b, b.r.URL(), records("set", "fault:moved")...)
			require.NoError(b, err)
			require.Equal(b, b.r.URL()+"?metadataPrefix=oai_dc&verb=ListRecords", resp.Header.Get("Location"))
		},
		"moved-in-circle": func(b broken) {
			resp, _ := b.get("verb", "Identify")
			to, err := resp.Location()
			require.NoError(b, err)
			require.Equal(b, b.base+"?verb=Identify", to.String())
		},
	}
}
