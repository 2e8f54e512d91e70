package oai

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// hostileFaults are answers that want too much.
func hostileFaults() []Fault {
	return []Fault{
		rewrite("entity-bomb", "a DOCTYPE whose entities unfold to gigabytes, used in every title", entityBomb),
		rewrite("external-entity", "a DOCTYPE with an entity that stands for a local file, used in every title", func(b []byte) []byte {
			return withDoctype(b, `<!ENTITY file SYSTEM "file:///etc/passwd">`, "&file;")
		}),
		padded("huge-body", "N MiB of blanks before the end of the document", 64, "</OAI-PMH>"),
		padded("huge-record", "N MiB of blanks in the first record", 64, "</dc:description>"),
		{Name: "deep-nesting", Does: "the first record's metadata is N elements deep", N: 100000, after: func(c *call, a *answer) *answer {
			deep := strings.Repeat("<dc:a>", c.fault.N) + strings.Repeat("</dc:a>", c.fault.N)
			a.body = bytes.Replace(a.body, []byte("<dc:title>"), []byte(deep+"<dc:title>"), 1)
			return a
		}},
	}
}

func entityBomb(b []byte) []byte {
	var entities strings.Builder
	entities.WriteString(`<!ENTITY a0 "uva">`)
	for i := range 10 {
		fmt.Fprintf(&entities, `<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
	}
	return withDoctype(b, entities.String(), "&a10;")
}

func withDoctype(b []byte, entities, use string) []byte {
	b = bytes.Replace(b, []byte("<OAI-PMH"), []byte("<!DOCTYPE OAI-PMH ["+entities+"]>\n<OAI-PMH"), 1)
	return bytes.ReplaceAll(b, []byte("<dc:title>"), []byte("<dc:title>"+use))
}

// padded puts N MiB of blanks before the first occurrence of a tag.
func padded(name, does string, n int, tag string) Fault {
	return Fault{Name: name, Does: does, N: n, after: func(c *call, a *answer) *answer {
		at := bytes.Index(a.body, []byte(tag))
		if at < 0 {
			return a
		}
		a.body = bytes.Join([][]byte{a.body[:at], bytes.Repeat([]byte(" "), c.fault.N<<20), a.body[at:]}, nil)
		return a
	}}
}

// packingFaults are about Content-Encoding.
func packingFaults() []Fault {
	packing := func(name, does string, announced bool, pack func(c *call, body []byte) []byte) Fault {
		return Fault{Name: name, Does: does, after: func(c *call, a *answer) *answer {
			a.body = pack(c, a.body)
			a.header["Content-Encoding"] = "identity"
			if announced {
				a.header["Content-Encoding"] = "gzip"
			}
			return a
		}}
	}
	list := []Fault{
		packing("unannounced-gzip", "compressed by gzip without saying so", false, func(_ *call, b []byte) []byte { return packed(b) }),
		packing("broken-gzip", "says gzip, and the stream breaks off in its middle", true, func(_ *call, b []byte) []byte { b = packed(b); return b[:len(b)/2] }),
		packing("not-gzip", "says gzip and is not", true, func(_ *call, b []byte) []byte { return b }),
		packing("gzip-bomb", "a small gzip body that unfolds to N MiB", true, func(c *call, _ []byte) []byte { return packed(bytes.Repeat([]byte(" "), c.fault.N<<20)) }),
	}
	list[3].N = 64
	return list
}

// argumentFaults are about selective harvesting.
func argumentFaults() []Fault {
	return []Fault{
		{Name: "no-selective", Does: "from and until are answered by badArgument", before: func(c *call) *answer {
			if c.args.Has("from") || c.args.Has("until") {
				return c.complain(problem{"badArgument", "selective harvesting is not supported"})
			}
			return nil
		}},
		{Name: "ignores-window", Does: "lists everything, whatever from and until say", before: func(c *call) *answer {
			c.query.window, _ = c.house.window("", "", false)
			return nil
		}},
		{Name: "refuses-seconds", Does: "declares granularity second and answers from and until with a time of day by badArgument", refusesSeconds: true},
		{Name: "answers-days", Does: "declares granularity second and gives datestamps as days", layout: daysLayout},
		{Name: "no-post", Does: "answers POST by 405", before: func(c *call) *answer {
			if c.r.Method != http.MethodPost {
				return nil
			}
			return page(http.StatusMethodNotAllowed, "Method Not Allowed")
		}},
	}
}

// identifyFaults are about what Identify says.
func identifyFaults() []Fault {
	return []Fault{
		rewrite("granularity-lower-case", "Identify writes the granularity in lower case", func(b []byte) []byte {
			for _, g := range []string{"YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DD"} {
				b = bytes.Replace(b, []byte("<granularity>"+g+"<"), []byte("<granularity>"+strings.ToLower(g)+"<"), 1)
			}
			return b
		}),
		{Name: "earliest-in-other-form", Does: "Identify gives earliestDatestamp in the granularity that it does not declare", after: func(c *call, a *answer) *answer {
			right, other := c.house.layout(), secondsLayout
			if right == secondsLayout {
				other = daysLayout
			}
			earliest := c.house.config.Earliest
			a.body = bytes.Replace(a.body, []byte("<earliestDatestamp>"+earliest.Format(right)), []byte("<earliestDatestamp>"+earliest.Format(other)), 1)
			return a
		}},
		{Name: "earliest-too-late", Does: "Identify gives as earliestDatestamp the repository's present", after: func(c *call, a *answer) *answer {
			layout := c.house.layout()
			old, now := c.house.config.Earliest.Format(layout), c.now.Format(layout)
			a.body = bytes.Replace(a.body, []byte("<earliestDatestamp>"+old), []byte("<earliestDatestamp>"+now), 1)
			return a
		}},
	}
}
