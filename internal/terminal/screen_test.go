package terminal_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/terminal"
)

func TestScreen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\tb\n": "a\tb\n", "a\r\nb": "a\nb", "a\rb": `a\u000db`, "\x1b[2J": `\u001b[2J`, "\u009b31m\u202e": `\u009b31m\u202e`,
		"\x9b\xff": `\x9b\xff`, "è日本🎉": "è日本🎉", "end\r": `end\u000d`, "half \xe6\x97": `half \xe6\x97`, "\x00\x7f": `\u0000\u007f`,
	} {
		for size := 1; size <= 4; size++ {
			var b bytes.Buffer
			s := terminal.NewScreen(&b)
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				n, err := s.Write(rest[:min(size, len(rest))])
				require.NoError(t, err)
				require.Equal(t, min(size, len(rest)), n)
			}
			require.NoError(t, s.Flush())
			require.Equal(t, want, b.String(), "%q in pieces of %d", text, size)
		}
	}
	var b bytes.Buffer
	require.NoError(t, terminal.Own(terminal.NewScreen(&b), "\x1b[31mred\x1b[0m"))
	require.Equal(t, "\x1b[31mred\x1b[0m", b.String())
	require.Same(t, &b, terminal.Onto(&b), "no terminal")
	require.True(t, terminal.Is(terminal.NewScreen(&b)))
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\r\n\x1b[2J\u202e\x9b"), 2)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		var b bytes.Buffer
		s := terminal.NewScreen(&b)
		at = min(max(at, 0), len(text))
		for _, part := range [][]byte{text[:at], text[at:]} {
			_, err := s.Write(part)
			require.NoError(t, err)
		}
		require.NoError(t, s.Flush())
		require.True(t, utf8.Valid(b.Bytes()))
		for _, r := range b.String() {
			require.False(t, terminal.Steers(r) && r != '\n' && r != '\t')
		}
	})
}
