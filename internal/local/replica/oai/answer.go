package oai

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// answer is a whole HTTP answer, not yet sent.
type answer struct {
	status  int
	header  map[string]string
	body    []byte
	problem string // code of the first protocol error
	records int
}

const xmlType = "text/xml; charset=utf-8"

func newAnswer(status int, contentType string, body []byte) *answer {
	return &answer{status: status, header: map[string]string{"Content-Type": contentType}, body: body}
}

// page is an answer for people.
func page(status int, title string) *answer {
	return newAnswer(status, "text/html; charset=utf-8", []byte("<!DOCTYPE html>\n<html lang=\"it\"><head><meta charset=\"utf-8\"><title>"+title+
		"</title></head>\n<body><h1>"+title+"</h1><p>La pagina non è disponibile.</p></body></html>\n"))
}

// compressFrom is the size from which compression pays.
const compressFrom = 512

func takesGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// compress packs the body when the client takes gzip.
func (a *answer) compress(r *http.Request) {
	if a.header["Content-Encoding"] != "" || len(a.body) < compressFrom || !takesGzip(r) {
		return
	}
	a.body = packed(a.body)
	a.header["Content-Encoding"], a.header["Vary"] = "gzip", "Accept-Encoding"
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
func (c *call) head(a *answer) {
	c.book(a)
	for name, value := range a.header {
		c.w.Header().Set(name, value)
	}
	c.w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	c.w.WriteHeader(a.status)
}

func (c *call) send(a *answer) {
	c.head(a)
	c.w.Write(a.body) // the client may have gone
}
