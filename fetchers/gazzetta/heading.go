package gazzetta

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// heading is what the first line of an act says of it.
type heading struct {
	kind, date, number, expires string
	// deposited is the second date of the Court's decisions.
	deposited string
}

const italianDate = `(\d{1,2})\s*(?:°|º|o)?\s+(\pL+)\s+(\d{4})`

var (
	expiry       = regexp.MustCompile(`(?i)\s*\(\s*scad\.?\s+` + italianDate + `\s*\)`)
	twoDates     = regexp.MustCompile(`(\d{1,2})\s*(?:°|º|o)?(?:\s+(\pL+))?(?:\s+(\d{4}))?\s*[-–—]\s*` + italianDate)
	someDate     = regexp.MustCompile(italianDate)
	leadNumber   = regexp.MustCompile(`(?i)^n\.\s*(\S+)\s+`)
	behindNumber = regexp.MustCompile(`(?i)\bn\.\s*(\S+)`)
)

// parseHeading reads "DECRETO 17 febbraio 2026, n. 12", "N. 230 ORDINANZA (Atto
// di promovimento) 4 agosto 2025", "SENTENZA 9 giugno - 23 luglio 2026" and
// "CONCORSO (scad. 30 giugno 2026)". What is not a date is left in the type.
func parseHeading(text string) (h heading) {
	rest := withoutExpiry(text)
	if m := expiry.FindStringSubmatch(squeeze(text)); m != nil {
		h.expires = isoDate(m[1:])
	}
	if m := leadNumber.FindStringSubmatch(rest); m != nil {
		h.number, rest = strings.TrimRight(m[1], ".,;"), rest[len(m[0]):]
	}
	h.kind = rest
	if at := twoDates.FindStringSubmatchIndex(rest); at != nil {
		if first, second := spanOf(twoDates.FindStringSubmatch(rest)[1:]); first != "" {
			h.date, h.deposited = first, second
			h.around(rest, at[0], at[1])
			return h
		}
	}
	at := someDate.FindStringSubmatchIndex(rest)
	if at == nil {
		return h
	}
	if h.date = isoDate(someDate.FindStringSubmatch(rest)[1:]); h.date == "" {
		return h
	}
	h.around(rest, at[0], at[1])
	return h
}

// around takes the type before the date, and a number behind it.
func (h *heading) around(text string, from, to int) {
	h.kind = strings.TrimRight(strings.TrimSpace(text[:from]), ",")
	if m := behindNumber.FindStringSubmatch(text[to:]); m != nil {
		h.number = strings.TrimRight(m[1], ".,;")
	}
}

// withoutExpiry is a heading without the closing day in brackets.
func withoutExpiry(text string) string {
	text = squeeze(text)
	if m := expiry.FindStringSubmatch(text); m != nil && isoDate(m[1:]) != "" {
		return strings.TrimSpace(strings.Replace(text, m[0], "", 1))
	}
	return text
}

// spanOf reads two dates of which the first may leave out month and year: what it
// leaves out is the second's, and it is never later than that.
func spanOf(parts []string) (first, second string) {
	day, month, year := parts[0], cmp.Or(parts[1], parts[4]), cmp.Or(parts[2], parts[5])
	second = isoDate(parts[3:])
	first = isoDate([]string{day, month, year})
	if parts[2] == "" && first > second {
		n, _ := strconv.Atoi(year) // four digits
		first = isoDate([]string{day, month, fmt.Sprintf("%04d", n-1)})
	}
	if first == "" || second == "" {
		return "", ""
	}
	return first, second
}

// isoDate turns day, month's name and year into 2026-02-17, or "" where they are
// no date.
func isoDate(parts []string) string {
	months := strings.Fields("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre")
	month := slices.Index(months, strings.ToLower(parts[1])) + 1
	day, err := strconv.Atoi(parts[0])
	if month == 0 || err != nil {
		return ""
	}
	text := fmt.Sprintf("%s-%02d-%02d", parts[2], month, day)
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return ""
	}
	return text
}

// digest is a short name for a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
