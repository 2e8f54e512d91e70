package yamltree_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// What people write wrong first is told in words, at the line to mend.
func TestMistakesAreToldInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"news:\n\tfetcher: feed\n":                          "2:1 is indented with a tab; indent with blanks, two for each step",
		"news:\n  fetcher: feed\n\turl: x\n":                "3:1 is indented with a tab; indent with blanks, two for each step",
		"news:\n  fetcher: feed\n \turl: x\n":               "3:2 is indented with a tab; indent with blanks, two for each step",
		"\ta: b\n":                                          "1:1 is indented with a tab; indent with blanks, two for each step",
		"news:\n  fetcher: feed\n   url: x\n":               "3:4 is indented by 3 blanks, but fetcher on line 2 by 2 and has its value on that line; indent both alike",
		"news:\n  fetcher: feed\n\n   # x\n   url: x\n":     "5:4 is indented by 3 blanks, but fetcher on line 2 by 2 and has its value on that line; indent both alike",
		"news:\n  fetcher: feed\n url: x\n":                 "3:2 is indented by 1 blank, and no line above that it could belong to is; there are 0 and 2",
		"a:\n  b:\n    c: 1\n   d: 2\n":                     "4:4 is indented by 3 blanks, and no line above that it could belong to is; there are 0, 2 and 4",
		"news:\n    fetcher: feed\n  url: x\n":              "3:3 is indented by 2 blanks, and no line above that it could belong to is; there are 0 and 4",
		"a:\n  b:\n    - c: 1\n   - d: 2\n":                 "4:4 is indented by 3 blanks, and no line above that it could belong to is; there are 0, 2, 4 and 6",
		"news:\n  title: \"abc\n  fetcher: feed\n":          "2:10 the quote \" that begins here is not closed; put another \" behind the text",
		"news:\n  title: 'abc\n":                            "2:10 the quote ' that begins here is not closed; put another ' behind the text",
		"news:\n  title: 'it's'\n":                          "2:14 text goes on behind the closing quote '; within ' … ' write a quote twice: ''",
		"news:\n  title: \"a\" b\n":                         "2:14 text goes on behind the closing quote \"; within \" … \" write a quote as \\\"",
		"news:\n  fetcher: feed\n  fetcher: oaipmh\n":       "3:3 fetcher stands here twice; the first is on line 2",
		"news:\n  fetcher:feed\n  url: x\n":                 "2:3 a blank is missing behind the colon; write fetcher: feed",
		"news:\n  url: x\n  fetcher:feed\n  title: y\n":     "3:3 a blank is missing behind the colon; write fetcher: feed",
		"news:\n  url: x\n  fetcher:feed # y\n":             "3:3 a blank is missing behind the colon; write fetcher: feed",
		"news:\n  url:http://x/\n  fetcher: feed\n":         "2:3 a blank is missing behind the colon; write url: http://x/",
		"news:\n  fetcher: feed\nurl\n":                     "3:1 is neither key: value nor part of what stands above it; a key ends with a colon, more text of a value is indented",
		"news:\n  fetcher: x\n  - a\n":                      "3:3 a list begins (- …) beside keys; give it a key of its own, on the line before",
		"news:\n  - a\n  fetcher: x\n":                      "3:3 a key stands beside the elements of a list; begin the line with a dash, or indent it as the list's own key",
		"news: [a, b\nx: 1\n":                               "1:7 the [ here is not closed; put a ] behind its last element",
		"news: {a: 1\nx: 1\n":                               "1:7 the { here is not closed; put a } behind its last element",
		"a: ]\n":                                            "1:4 a ] closes nothing; text that begins with it must be in quotes",
		"news:\n  url: a: b\n":                              "2:8 text that holds \": \" must be in quotes",
		"news:\n  schedule: */5 * * * *\n  a: b\n   c: d\n": "4:4 is indented by 3 blanks, but a on line 3 by 2 and has its value on that line; indent both alike",
	} {
		_, errs := yamltree.Parse("f.yaml", []byte(text))
		require.NotEmpty(t, errs, text)
		last := errs[len(errs)-1]
		require.Equal(t, want, fmt.Sprintf("%d:%d %s", last.Line, last.Column, last.Text), text)
	}
}

// Whatever is not YAML is told at a line of the file.
func FuzzMistakes(f *testing.F) {
	for _, seed := range []string{"a:\n\tb: c\n", "a: 'x\n", "a: [\n", "a: b\n  c: d\n", "a: \"x\" y\n", "a:b\nc: d\n", "- a\nb: c", "}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, errs := yamltree.Parse("f.yaml", []byte(text))
		for _, e := range errs {
			require.NotEmpty(t, e.Text)
			require.Positive(t, e.Line)
		}
	})
}
