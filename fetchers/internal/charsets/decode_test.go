package charsets_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

func encoded(t *testing.T, s string, e interface{ Bytes([]byte) ([]byte, error) }) string {
	t.Helper()
	b, err := e.Bytes([]byte(s))
	require.NoError(t, err)
	return string(b)
}

func TestDecode(t *testing.T) {
	t.Parallel()
	xml := func(charset, body string) string { return `<?xml version="1.0" encoding="` + charset + `"?>` + body }
	utf16, utf32le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	for name, c := range map[string]struct {
		body, want string
		hints      charsets.Hints
	}{
		"UTF-8":                                  {body: "perché", want: "perché"},
		"a mark":                                 {body: "\xef\xbb\xbfperché", want: "perché"},
		"a mark before windows-1252":             {body: "\xef\xbb\xbfperch\xe9", want: "perché"},
		"windows-1252 makes no Chinese":          {body: "un homme dou\xe9\xa0\xbb, r\xe9p\xe8te", want: "un homme doué\u00a0», répète"},
		"it declares UTF-8":                      {body: xml("UTF-8", "<a>dou\xe9\xa0\xbb</a><a>\xe9t\xe9</a>"), want: xml("UTF-8", "<a>doué\u00a0»</a><a>été</a>")},
		"the header says UTF-8":                  {body: "dou\xe9\xa0\xbb \xe9t\xe9", want: "doué\u00a0» été", hints: charsets.Hints{ContentType: "text/xml; charset=utf-8"}},
		"one stray byte":                         {body: "perché così è più caf\xe9 là", want: "perché così è più café là"},
		"lines of both":                          {body: "perché così è più là\ndou\xe9\xa0\xbb \xe9t\xe9\n", want: "perché così è più là\ndoué\u00a0» été\n"},
		"elements of both":                       {body: "<t>perché così è più là</t><t>\xe9t\xe9</t>", want: "<t>perché così è più là</t><t>été</t>"},
		"UTF-8 that declares ISO-8859-1":         {body: xml("ISO-8859-1", "perché"), want: xml("ISO-8859-1", "perché")},
		"UTF-8 under a header of Latin 1":        {body: "perché", want: "perché", hints: charsets.Hints{ContentType: "text/xml; charset=ISO-8859-1"}},
		"UTF-8 but for a byte, as Latin 1":       {body: xml("ISO-8859-1", strings.Repeat("é", 20)+"\xe9."), want: xml("ISO-8859-1", strings.Repeat("é", 21)+".")},
		"Latin 1":                                {body: xml("ISO-8859-1", "perch\xe9"), want: xml("ISO-8859-1", "perché")},
		"Latin 1 with the quotes of Windows":     {body: xml("ISO-8859-1", "l\x92\xe9t\xe9"), want: xml("ISO-8859-1", "l’été")},
		"Latin 9 with the quotes of Windows":     {body: xml("ISO-8859-15", "l\x92\xe9t\xe9 \xa4"), want: xml("ISO-8859-15", "l’été €")},
		"C1 controls":                            {body: "l\u0092été \u0080 \u0085", want: "l’été € …"},
		"C1 controls that Windows has not":       {body: "a\u0081\u008d\u008f\u0090\u009db\u00a0", want: "ab\u00a0"},
		"the declaration against a header":       {body: xml("windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2"), want: xml("windows-1251", "Привет"), hints: charsets.Hints{ContentType: "text/xml; charset=utf-8"}},
		"the declaration against Latin 1":        {body: xml("iso-8859-2", "\xb1\xe6"), want: xml("iso-8859-2", "ąć"), hints: charsets.Hints{ContentType: "text/xml; charset=iso-8859-1"}},
		"the header against the declaration":     {body: xml("iso-8859-1", "\xb1\xe6"), want: xml("iso-8859-1", "ąć"), hints: charsets.Hints{ContentType: "text/xml; charset=iso-8859-2"}},
		"the user against all":                   {body: xml("utf-8", "\xb1\xe6"), want: xml("utf-8", "ąć"), hints: charsets.Hints{Override: "ISO-8859-2", ContentType: "text/xml; charset=utf-8"}},
		"an unknown name":                        {body: xml("x-klingon", "\xe9t\xe9"), want: xml("x-klingon", "été")},
		"UTF-16 declared, and not":               {body: xml("utf-16", "perché"), want: xml("utf-16", "perché")},
		"UTF-16 with a mark":                     {body: "\xff\xfe" + encoded(t, "<a>perché", utf16.NewEncoder()), want: "<a>perché"},
		"UTF-16 without a mark":                  {body: encoded(t, "<a>perché", utf16.NewEncoder()), want: "<a>perché"},
		"UTF-32 with a mark":                     {body: "\xff\xfe\x00\x00" + encoded(t, "<a>perché", utf32le.NewEncoder()), want: "<a>perché"},
		"UTF-32 without a mark":                  {body: encoded(t, "<a>perché", utf32le.NewEncoder()), want: "<a>perché"},
		"Shift JIS":                              {body: xml("Shift_JIS", encoded(t, "日本語のニュース", japanese.ShiftJIS.NewEncoder())), want: xml("Shift_JIS", "日本語のニュース")},
		"ISO-2022-JP, all of seven bits":         {body: xml("ISO-2022-JP", encoded(t, "日本", japanese.ISO2022JP.NewEncoder())), want: xml("ISO-2022-JP", "日本")},
		"both in one line":                       {body: "\xabsociet\xe0\xbb, attività; \x93gi\xe0\x94", want: "«società», attività; “già”"},
		"accidents in a long text":               {body: strings.Repeat("\xe9t\xe9 ", 20) + "AMANH\xc3\x94", want: strings.Repeat("été ", 20) + "AMANHÃ”"},
		"Chinese stays":                          {body: "日本語のニュース", want: "日本語のニュース"},
		"a meta of a page":                       {body: `<html><meta charset="windows-1251">` + "\xcf\xf0\xe8", want: `<html><meta charset="windows-1251">При`, hints: charsets.Hints{HTML: true}},
		"a meta is no word outside of HTML":      {body: `<rss><meta charset="windows-1251">` + "\xe9t\xe9", want: `<rss><meta charset="windows-1251">été`},
		"UTF-8 cut in the middle of a character": {body: "perché così è più l\xc3", want: "perché così è più lÃ"},
		"nothing":                                {},
	} {
		require.Equal(t, c.want, string(charsets.Decode([]byte(c.body), c.hints)), name)
	}
}

func TestWithoutC1(t *testing.T) {
	t.Parallel()
	require.Equal(t, "l’été à", charsets.WithoutC1("l\u0092été à"))
	require.Equal(t, "\xc2", charsets.WithoutC1("\xc2"), "a byte alone is no control")
}

func TestKnows(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"utf-8": true, "UTF8": true, "windows-1252": true, "iso-8859-15": true, "shift_jis": true, "utf-16le": true, "UTF-32BE": true,
		"klingon": false, "": false, "iso-2022-kr": false,
	} {
		require.Equal(t, want, charsets.Knows(name), name)
	}
}

// FuzzDecode: whatever comes, UTF-8 without C1 controls.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("dou\xe9\xa0\xbb"), "text/xml; charset=utf-8", "")
	f.Add([]byte("\xff\xfe<\x00"), "", "shift_jis")
	f.Add([]byte("<meta charset=utf-16>\x1b$B"), "", "")
	f.Fuzz(func(t *testing.T, body []byte, contentType, override string) {
		for _, html := range []bool{false, true} {
			out := charsets.Decode(body, charsets.Hints{Override: override, ContentType: contentType, HTML: html})
			require.True(t, utf8.Valid(out))
			for _, r := range string(out) {
				require.False(t, r >= 0x80 && r < 0xa0, "%U", r)
			}
		}
	})
}
