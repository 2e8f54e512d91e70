package lists

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// MaxBytes bounds a list file; a million rows fit.
const MaxBytes = 512 << 20

// Row is one element of a list and the line it begins on.
type Row struct {
	Line int
	// Values are JSON values; of CSV and OPML they are all strings, and empty
	// cells are left out.
	Values map[string]any
}

// List is what a file holds.
type List struct {
	Rows []Row
	// Columns of a CSV file, in order; nil for other formats.
	Columns []string
	// Texts says that values are strings whatever they mean (CSV, OPML).
	Texts bool
}

// Error is a mistake on a line of the file; 0 is the file as a whole.
type Error struct {
	Line int
	Text string
}

// Formats are the endings Read knows.
func Formats() []string { return []string{"csv", "jsonl", "json", "opml"} }

// Read reads a list by the ending of its name. It never panics; rows that can
// be read are returned beside the mistakes in others.
func Read(name string, data []byte) (List, []Error) {
	switch {
	case len(data) > MaxBytes:
		return List{}, []Error{{0, fmt.Sprintf("more than %d MiB; split it", MaxBytes>>20)}}
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return List{}, []Error{{0, "is UTF-16; save it as UTF-8"}}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")); ext {
	case "csv", "jsonl", "json":
		if line := badUTF8(data); line > 0 {
			return List{}, []Error{{line, "not UTF-8 text; save the file as UTF-8"}}
		}
		return map[string]func([]byte) (List, []Error){"csv": readCSV, "jsonl": readJSONL, "json": readJSON}[ext](data)
	case "opml":
		return readOPML(data)
	default:
		return List{}, []Error{{0, fmt.Sprintf("a list ends in .%s; this one in %q", strings.Join(Formats(), ", ."), filepath.Ext(name))}}
	}
}

func badUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return 1 + bytes.Count(data[:i], []byte("\n"))
		}
		i += size
	}
	return 0
}
