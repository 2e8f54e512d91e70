package print

import (
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// Number writes an integer with thousands separators: 1,369.
func Number[N ~int | ~int64](n N) string { return wording.Number(n) }

// Count writes a number and what it counts: "1 item", "5,000 items".
func Count[N ~int | ~int64](n N, noun string) string { return wording.Count(n, noun) }

// Bytes writes a size: 812 B, 41 kB, 18.2 MiB.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return Number(n) + " B"
	case n < 1<<20:
		return Number((n+500)/1000) + " kB"
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
}

// Duration writes a span with its two largest units: 31s, 3m14s, 3h03m, 2d4h.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d == 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%dms", max(1, d.Milliseconds()))
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
	case d < time.Hour:
		return units(d.Round(time.Second), time.Minute, "m", time.Second, "s")
	case d < 24*time.Hour:
		return units(d.Round(time.Minute), time.Hour, "h", time.Minute, "m")
	default:
		return units(d.Round(time.Hour), 24*time.Hour, "d", time.Hour, "h")
	}
}

func units(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	n, rest := d/big, (d%big)/small
	if rest == 0 {
		return fmt.Sprintf("%d%s", n, bigName)
	}
	if bigName == "d" {
		return fmt.Sprintf("%d%s%d%s", n, bigName, rest, smallName)
	}
	return fmt.Sprintf("%d%s%02d%s", n, bigName, rest, smallName)
}

// Watch writes a span as a stopwatch shows it: 0:29, 1:02:03.
func Watch(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Dash returns s, or "-" for nothing.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Wrap breaks text at blanks so that no line, with indent before all but the
// first, is longer than Width; first is how many letters stand before it
// already. Blanks in a row stay where no line ends.
func Wrap(text string, first, indent int) string {
	var b strings.Builder
	at, pad, blanks := first, strings.Repeat(" ", indent), 0
	for i, word := range strings.Split(strings.TrimSpace(Clean(text)), " ") {
		n := len([]rune(word))
		switch {
		case i > 0 && n == 0:
			blanks++
			continue
		case i > 0 && at+1+blanks+n > Width:
			b.WriteString("\n" + pad)
			at = indent
		case i > 0:
			b.WriteString(strings.Repeat(" ", blanks+1))
			at += blanks + 1
		}
		b.WriteString(word)
		at += n
		blanks = 0
	}
	return b.String()
}

// Bar is 26 letters of ASCII that show how much of total is done.
func Bar(done, total int64) string {
	const width = 26
	n := 0
	if total > 0 {
		n = int(min(width, width*max(0, done)/total))
	}
	return strings.Repeat("#", n) + strings.Repeat(".", width-n)
}
