package oai

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// query is what a list verb was asked for, by arguments or by a token.
type query struct {
	verb, prefix, set, from, until string
	// next is the number to go on from, cursor how many were listed before it,
	// size how many there were at the beginning, page the number of the page.
	next, cursor, size, page int
	// fault is the one that the list was asked for by; empties counts the empty
	// pages in a row, again is a number of the fault's own.
	fault          string
	empties, again int
	// text is the token it came by, "" for the first page.
	text string

	chosen set
	window window
}

// encode makes a token. It has characters that must be encoded in a URL.
func (q query) encode(issued time.Time, epoch int) string {
	text := strings.Join([]string{
		q.verb, q.prefix, q.set, q.from, q.until, strconv.Itoa(q.next), strconv.Itoa(q.cursor), strconv.Itoa(q.size), strconv.Itoa(q.page),
		q.fault, strconv.Itoa(q.empties), strconv.Itoa(q.again), strconv.FormatInt(issued.Unix(), 10), strconv.Itoa(epoch),
	}, "|")
	return base64.StdEncoding.EncodeToString([]byte(text)) + "/" + seal(text) + "+="
}

func seal(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text)) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// ticket is a token read back.
type ticket struct {
	query
	issued time.Time
	epoch  int
}

// decode reads a token; false for one that was never given.
func decode(token string) (t ticket, ok bool) {
	body, end, _ := cutLast(token, "/")
	text, err := base64.StdEncoding.DecodeString(body)
	parts := strings.Split(string(text), "|")
	if err != nil || len(parts) != 14 || end != seal(string(text))+"+=" {
		return ticket{}, false
	}
	var n [7]int
	for i, at := range []int{5, 6, 7, 8, 10, 11, 13} {
		if n[i], err = strconv.Atoi(parts[at]); err != nil {
			return ticket{}, false
		}
	}
	issued, err := strconv.ParseInt(parts[12], 10, 64)
	t = ticket{epoch: n[6], issued: time.Unix(issued, 0), query: query{
		verb: parts[0], prefix: parts[1], set: parts[2], from: parts[3], until: parts[4], fault: parts[9],
		next: n[0], cursor: n[1], size: n[2], page: n[3], empties: n[4], again: n[5], text: token,
	}}
	return t, err == nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
