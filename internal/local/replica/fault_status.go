package replica

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Status answers with a status and a small page: 500, 404, 410, 403 …
func Status(code int) Fault {
	return replace(fmt.Sprintf("status %d", code), func(*call) *answer {
		return newAnswer(code, "text/html", page(http.StatusText(code), "La pagina non è disponibile."))
	})
}

// Throttle answers 429 or 503 with a Retry-After as given: seconds or a date.
func Throttle(code int, retryAfter string) Fault {
	return replace(fmt.Sprintf("status %d, Retry-After %s", code, retryAfter), func(*call) *answer {
		a := newAnswer(code, "text/plain", []byte("slow down\n"))
		a.header.Set("Retry-After", retryAfter)
		return a
	})
}

// ThrottleSeconds and ThrottleUntil are the two forms of Retry-After.
func ThrottleSeconds(code, seconds int) Fault { return Throttle(code, strconv.Itoa(seconds)) }

// ThrottleUntil writes the moment as an HTTP date.
func ThrottleUntil(code int, t time.Time) Fault {
	return Throttle(code, t.UTC().Format(http.TimeFormat))
}

// Moved redirects with the given status (301, 302, 307, 308) to an address,
// absolute or relative.
func Moved(code int, to string) Fault {
	return replace(fmt.Sprintf("%d to %s", code, to), func(*call) *answer {
		a := newAnswer(code, "", nil)
		a.header.Set("Location", to)
		return a
	})
}

// Circle redirects to itself, by way of a second address.
func Circle() Fault {
	return replace("redirects in a circle", func(c *call) *answer {
		a := newAnswer(http.StatusFound, "", nil)
		a.header.Set("Location", "?step="+map[string]string{"": "2", "1": "2", "2": "1"}[c.r.URL.Query().Get("step")])
		return a
	})
}

func page(title, text string) []byte {
	return []byte("<!DOCTYPE html>\n<html lang=\"it\"><head><meta charset=\"utf-8\"><title>" + title + "</title></head>\n" +
		"<body><h1>" + title + "</h1><p>" + text + "</p></body></html>\n")
}
