package markup_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/markup"
)

func TestBound(t *testing.T) {
	t.Parallel()
	var fonts strings.Builder
	for n := range 400 {
		fmt.Fprintf(&fonts, "<font color=%d>", n)
	}
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"a page":                        {strings.Repeat(`<p class="a">un <b>testo</b><br></p>`, 50_000), ""},
		"no markup":                     {strings.Repeat("a = b < c ", 100_000), ""},
		"elements":                      {strings.Repeat("<a>", 2_100_000), "elements"},
		"attributes of one element":     {"<a " + strings.Repeat("b ", 6000) + ">", "attributes"},
		"attributes with values":        {"<a " + strings.Repeat(`b="c"`, 6000) + ">", "attributes"},
		"attributes of many":            {strings.Repeat("<a b c d e f g h>", 200_000), "attributes"},
		"formatting opened anew":        {fonts.String() + strings.Repeat("<p>x", 100_000), "formatting"},
		"a long value is one attribute": {`<a b="` + strings.Repeat("c ", 100_000) + `">`, ""},
	} {
		err := markup.Bound(c.text, markup.MaxElements)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestBoundTakesNoTime(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<", `<a "`, "<a '", "</", "<a b=", "< "} {
		began := time.Now()
		_ = markup.Bound(strings.Repeat(piece, 300_000), markup.MaxElements)
		require.Less(t, time.Since(began), 10*time.Second, piece)
	}
}
