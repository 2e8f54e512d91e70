package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Screen writes to a terminal what programs and sources say, so that none of it
// steers the terminal: characters that would (Steers) and bytes that are no UTF-8 are
// written as escapes, \u009b, as JSON writes them. What we draw ourselves goes
// through Own. It may be used by many goroutines at once.
type Screen struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the beginning of a letter, or a carriage return
}

// NewScreen returns a Screen onto w, whatever w is.
func NewScreen(w io.Writer) *Screen { return &Screen{w: w} }

// Onto returns w itself where it is no terminal: what is read by programs comes as
// it is.
func Onto(w io.Writer) io.Writer {
	if _, already := w.(*Screen); already || !Is(w) {
		return w
	}
	return NewScreen(w)
}

// Is reports whether a stream is a terminal, or a Screen onto one.
func Is(stream any) bool {
	if _, ok := stream.(*Screen); ok {
		return true
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Size returns how wide the terminal behind a stream is; 0 where there is none.
func Size(stream any) int {
	if s, ok := stream.(*Screen); ok {
		stream = s.w
	}
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// Own writes text of ours, which may steer a terminal: colours, a line that is
// drawn again. Nothing foreign may be in it that is not Clean.
func Own(w io.Writer, text string) error {
	if s, ok := w.(*Screen); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		w = s.w
	}
	_, err := io.WriteString(w, text)
	return err
}

// Write is part of io.Writer. What ends in the middle of a letter is kept for the
// next one.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.rest, p...)
	n := whole(text)
	s.rest = append([]byte(nil), text[n:]...)
	if _, err := io.WriteString(s.w, visible(text[:n])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what is left of a letter that never came to its end.
func (s *Screen) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, visible(s.rest))
	s.rest = nil
	return err
}

// whole is how many bytes of text end with a whole letter, and not in the middle of
// a line's end.
func whole(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-n:]) || b == '\r' && n == 1 {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}

func visible(text []byte) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\r' && len(text) > 1 && text[1] == '\n': // a line's end
		case Steers(r) && r != '\n' && r != '\t':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.Write(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// Steers reports whether a character tells a terminal what to do instead of being
// shown: controls, C1 among them, ends of lines, and what turns the direction of
// other text.
func Steers(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
