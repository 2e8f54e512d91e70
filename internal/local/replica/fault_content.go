package replica

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// HTML answers 200 with a page where a feed was due.
func HTML() Fault {
	return replace("a page, not a feed", func(*call) *answer {
		return newAnswer(http.StatusOK, "text/html; charset=utf-8", page("Sito in manutenzione", "Torniamo presto online."))
	})
}

// Challenge answers with a page that wants to know whether one is a person;
// status is 200, 403 or 503 in the wild.
func Challenge(status int) Fault {
	return replace(fmt.Sprintf("challenge page, status %d", status), func(*call) *answer {
		body := page("Just a moment...", `Verifica di non essere un robot.<script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>`)
		return newAnswer(status, "text/html; charset=utf-8", body)
	})
}

// Garbage answers 200 with bytes that mean nothing.
func Garbage(n int) Fault {
	return replace("garbage", func(c *call) *answer {
		r, b := rand.New(rand.NewPCG(c.view.seed, uint64(n))), make([]byte, n) // repeatable on purpose
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return newAnswer(http.StatusOK, "application/xml", b)
	})
}

// EmptyBody answers 200 with nothing.
func EmptyBody() Fault {
	return replace("empty body", func(*call) *answer { return newAnswer(http.StatusOK, "application/xml", nil) })
}

// EmptyChannel is a right feed that lists nothing.
func EmptyChannel() Fault {
	f := alter("empty channel", func(_ *call, a *answer) {
		a.header.Del("ETag")
		a.header.Del("Last-Modified")
	})
	f.records = func([]Entry) []Entry { return nil }
	f.shape = unconditional
	return f
}

// Oversized is a right feed followed by n bytes of comment.
func Oversized(n int) Fault {
	return replace("oversized", func(c *call) *answer {
		a := c.whole()
		a.body = append(a.body, "<!--"+strings.Repeat("uva ", n/4)+"-->"...)
		return a
	})
}

// Bomb is a gzip body of a few kilobytes that unpacks to n bytes.
func Bomb(n int) Fault {
	return replace("gzip bomb", func(*call) *answer {
		a := newAnswer(http.StatusOK, "application/xml", packed(bytes.Repeat([]byte(" "), n)))
		a.header.Set("Content-Encoding", "gzip")
		return a
	})
}

// NotGzip announces gzip and sends plain text.
func NotGzip() Fault {
	return replace("not gzip", func(c *call) *answer {
		a := c.whole()
		a.header.Set("Content-Encoding", "gzip")
		return a
	})
}

// WrongCharset declares UTF-8 and sends windows-1252.
func WrongCharset() Fault {
	return Fault{Name: "wrong charset", shape: func(s Shape) Shape {
		s.Charset = LyingXML
		return s
	}}
}
