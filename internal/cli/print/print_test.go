package print_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		require.Equal(t, want, print.Number(n))
	}
	require.Equal(t, "1 item", print.Count(1, "item"))
	require.Equal(t, "1,000 items", print.Count(1000, "item"))
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 812: "812 B", 41_000: "41 kB", 19_084_106: "18.2 MiB", 5 << 30: "5.0 GiB"} {
		require.Equal(t, want, print.Bytes(n))
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 300 * time.Millisecond: "300ms", 31 * time.Second: "31s", 194 * time.Second: "3m14s", 3*time.Hour + 3*time.Minute: "3h03m",
		2 * time.Hour: "2h", 52 * time.Hour: "2d4h", 48 * time.Hour: "2d", time.Minute: "1m", -time.Minute: "-1m", 182 * time.Second: "3m02s",
	} {
		require.Equal(t, want, print.Duration(d))
	}
	require.Equal(t, "0:29", print.Watch(29*time.Second))
	require.Equal(t, "1:02:03", print.Watch(3723*time.Second))
}

func TestClockKeepsTheZone(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	c := print.Clock{Now: func() time.Time { return time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC) }, Zone: zone}
	require.Equal(t, "Sun 3 May 18:00 CEST", c.Full(time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)))
	require.Equal(t, "Wed 1 Jan 2025 01:00 CET", c.Full(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)), "another year is told")
	require.Equal(t, "18:00", c.Near(time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)))
	require.Equal(t, "2 May 18:00", c.Near(time.Date(2026, 5, 2, 16, 0, 0, 0, time.UTC)))
	require.Equal(t, "CEST", c.ZoneName())
	for _, f := range []func(time.Time) string{c.Full, c.Day, c.Near, c.Time, c.Ago} {
		require.Equal(t, "-", f(time.Time{}))
	}
}

func TestKeysGiveWayLast(t *testing.T) {
	t.Parallel()
	id := "eli/id/2026/11/18/26C09005/s1"
	table := print.NewTable(print.Key("DOCUMENT"), print.Left("KIND"), print.Flex("TITLE")).Within(50)
	table.Row(id, "act", strings.Repeat("long ", 20))
	require.Contains(t, table.String(), id)
	require.Contains(t, table.Within(30).String(), "eli/id…", "a screen that is too narrow for it all the same")
	for line := range strings.Lines(table.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 30, line)
	}
}

func TestColumnsAreSparedForKeys(t *testing.T) {
	t.Parallel()
	table := print.NewTable(print.Key("RUN"), print.Left("STARTED"), print.Right("TOOK"), print.Left("OUTCOME")).Within(60)
	require.Same(t, table, table.Spare("STARTED", "TOOK"), "nothing to spare it for")
	run := "gu-corte-costituzionale-2026-11-22T05:19:31Z"
	table.Row(run, "05:19", "3s", "done")
	require.Equal(t, "RUN                                           TOOK  OUTCOME\n"+run+"    3s  done\n", table.Spare("STARTED", "TOOK").String())
	table.Row(strings.Repeat("too long ", 9), "05:19", "3s", "done")
	require.Same(t, table, table.Spare("STARTED", "TOOK"), "it would not help")
}

func TestTablesFit(t *testing.T) {
	t.Parallel()
	table := print.NewTable(print.Flex("ITEM"), print.Right("N"), print.Left("OUTCOME"), print.Flex("WHY"))
	table.Row(strings.Repeat("a", 70)+"-end", "1,369", "throttled", strings.Repeat("è", 60))
	table.Row("short", "2", "done\x1b[31m", "")
	lines := strings.Split(strings.TrimRight(table.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	for _, l := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(l), print.Width)
		require.Equal(t, strings.TrimRight(l, " "), l)
		require.NotContains(t, l, "\x1b", "nothing foreign steers the terminal")
	}
	require.Contains(t, lines[1], "-end", "the middle goes, both ends stay")
	require.Contains(t, lines[1], "1,369")
}

func TestShortening(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abc…hij", print.Middle("abcdefghij", 7))
	require.Equal(t, "abc", print.Middle("abc", 3))
	require.Equal(t, "ab", print.Middle("abcdef", 2))
	require.Equal(t, "abcd…", print.End("abcdefgh", 5))
}

func TestWrap(t *testing.T) {
	t.Parallel()
	text := print.Wrap(strings.Repeat("word ", 40)+"41 kB  3 entries", 12, 12)
	for i, l := range strings.Split(text, "\n") {
		n := utf8.RuneCountInString(l)
		if i == 0 {
			n += 12
		} else {
			require.True(t, strings.HasPrefix(l, strings.Repeat(" ", 12)))
		}
		require.LessOrEqual(t, n, print.Width)
	}
	require.Contains(t, text, "41 kB  3 entries", "blanks in a row stay")
	require.Empty(t, print.Wrap("", 0, 0))
}

func TestFormatsAreNeverMixed(t *testing.T) {
	t.Parallel()
	say := func(f print.Format) string {
		var b strings.Builder
		p := print.New(&b, f)
		p.Printf("hello\n")
		p.Table(print.NewTable(print.Left("A")))
		list := p.List()
		list.Add(map[string]string{"url": "a&b"})
		list.Add(map[string]string{"url": "c"})
		list.End()
		require.Equal(t, 2, list.Len())
		require.NoError(t, p.Err())
		return b.String()
	}
	require.Equal(t, "hello\nA\n", say(print.Text))
	require.Equal(t, "{\"url\":\"a&b\"}\n{\"url\":\"c\"}\n", say(print.JSONL))
	var got []map[string]string
	require.NoError(t, json.Unmarshal([]byte(say(print.JSON)), &got))
	require.Len(t, got, 2)
	_, err := print.ParseFormat("xml")
	require.ErrorContains(t, err, "one of text, json, jsonl")
}

func TestEmptyLists(t *testing.T) {
	t.Parallel()
	for f, want := range map[print.Format]string{print.Text: "", print.JSONL: "", print.JSON: "[]\n"} {
		var b strings.Builder
		list := print.New(&b, f).List()
		list.End()
		require.Equal(t, want, b.String())
	}
}

type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) {
	b.n++
	return 0, errors.New("gone")
}

func TestTheFirstErrorIsKept(t *testing.T) {
	t.Parallel()
	w := &broken{}
	p := print.New(w, print.JSONL)
	list := p.List()
	list.Add(1)
	list.Add(2)
	require.ErrorContains(t, p.Err(), "gone")
	require.Equal(t, 1, w.n, "nothing more is written after an error")
	p = print.New(&strings.Builder{}, print.JSON)
	p.Value(func() {})
	require.Error(t, p.Err())
}

func FuzzWrapAndTable(f *testing.F) {
	f.Add("some text with words", 10)
	f.Add("x\x1b[2J y\u202e", 0)
	f.Fuzz(func(t *testing.T, s string, n int) {
		print.Middle(s, n%100)
		print.End(s, n%100)
		table := print.NewTable(print.Flex("A"), print.Flex("B"))
		table.Row(s, s)
		require.Equal(t, 2, strings.Count(table.String(), "\n"), "a cell never makes a line")
		require.NotContains(t, print.Wrap(s, 0, 2), "\x1b")
	})
}

func TestColourOnATerminalOnly(t *testing.T) {
	t.Parallel()
	say := func(colour bool) string {
		var b strings.Builder
		p := print.New(&b, print.Text)
		p.Terminal(100, colour)
		table := print.NewTable(print.Word("OUTCOME"), print.Flex("ITEM"))
		table.Row("gone", strings.Repeat("x", 90))
		table.Row("partial", "b")
		table.Row("done", "c")
		p.Table(table)
		return b.String()
	}
	require.NotContains(t, say(false), "\x1b")
	require.Contains(t, say(false), strings.Repeat("x", 90), "as wide as the terminal")
	require.Contains(t, say(true), "\x1b[31mgone\x1b[0m     x", "a colour takes no room")
	require.Contains(t, say(true), "\x1b[33mpartial\x1b[0m  b")
	require.Contains(t, say(true), "\ndone     c")
}

// TestStoredSentencesInTheReadersZone: what the store says of moments is in UTC.
func TestStoredSentencesInTheReadersZone(t *testing.T) {
	t.Parallel()
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	clock := print.Clock{Zone: rome, Now: func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }}
	require.Equal(t, "3 records unread since Mon 4 May 01:30 CEST; 1 page", clock.Reason("3 records unread since 3 May 2026, 23:30 UTC; 1 page"))
	require.Equal(t, "since 33 May 2026, 23:30 UTC", clock.Local("since 33 May 2026, 23:30 UTC"), "not a moment")
	require.Equal(t, "the run had no time left for it", clock.Reason("next-tick"))
}
