package replica

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// answer is a whole HTTP answer, not yet sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func newAnswer(status int, contentType string, body []byte) *answer {
	a := &answer{status: status, header: http.Header{}, body: body}
	if contentType != "" {
		a.header.Set("Content-Type", contentType)
	}
	return a
}

// compressFrom is the size from which compression pays.
const compressFrom = 512

// compress packs the body when the client takes gzip.
func (a *answer) compress(r *http.Request) {
	if len(a.body) < compressFrom || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return
	}
	a.body = packed(a.body)
	a.header.Set("Content-Encoding", "gzip")
	a.header.Add("Vary", "Accept-Encoding")
}

func packed(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil { // the level is a constant
		return body
	}
	w.Write(body) // a buffer never fails
	w.Close()     // a buffer never fails
	return b.Bytes()
}

// head sends status and header; the length is what the whole body has.
func (a *answer) head(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
}

func (a *answer) send(w http.ResponseWriter) {
	a.head(w)
	w.Write(a.body) // the client may have gone
}

// unmodified reports whether the client has this version (RFC 9110, section
// 13.2.2: If-None-Match outranks If-Modified-Since; the comparison is weak).
func (v view) unmodified(r *http.Request) bool {
	if v.shape.NoValidators {
		return false
	}
	if tags := r.Header.Get("If-None-Match"); tags != "" {
		return tags == "*" || hasTag(tags, v.etag())
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !v.modified().After(since)
}

func hasTag(tags, tag string) bool {
	for t := range strings.SplitSeq(tags, ",") {
		if strings.TrimPrefix(strings.TrimSpace(t), "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
