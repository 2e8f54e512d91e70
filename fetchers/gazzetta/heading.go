package gazzetta

import (
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
}

const italianDate = `(\d{1,2})\s*(?:°|º|o)?\s+(\pL+)\s+(\d{4})`

var (
	expiry       = regexp.MustCompile(`(?i)\s*\(\s*scad\.?\s+` + italianDate + `\s*\)`)
	someDate     = regexp.MustCompile(italianDate)
	leadNumber   = regexp.MustCompile(`(?i)^n\.\s*(\S+)\s+`)
	behindNumber = regexp.MustCompile(`(?i)\bn\.\s*(\S+)`)
)

// parseHeading reads "DECRETO 17 febbraio 2026, n. 12", "N. 230 ORDINANZA (Atto
// di promovimento) 4 agosto 2025" and "CONCORSO (scad. 30 giugno 2026)". What
// is no date is left in the type.
func parseHeading(text string) (h heading) {
	rest := squeeze(text)
	if m := expiry.FindStringSubmatch(rest); m != nil {
		if h.expires = isoDate(m[1:]); h.expires != "" {
			rest = strings.TrimSpace(strings.Replace(rest, m[0], "", 1))
		}
	}
	if m := leadNumber.FindStringSubmatch(rest); m != nil {
		h.number, rest = strings.TrimRight(m[1], ".,;"), rest[len(m[0]):]
	}
	h.kind = rest
	at := someDate.FindStringSubmatchIndex(rest)
	if at == nil {
		return h
	}
	if h.date = isoDate(someDate.FindStringSubmatch(rest)[1:]); h.date == "" {
		return h
	}
	h.kind = strings.TrimRight(strings.TrimSpace(rest[:at[0]]), ",")
	if m := behindNumber.FindStringSubmatch(rest[at[1]:]); m != nil {
		h.number = strings.TrimRight(m[1], ".,;")
	}
	return h
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
