package oaipmh_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
)

// quirk is a row of the table: what repositories do, what is done about it, and
// how it ends.
type quirk struct {
	name  string
	quirk string
	does  string
	// on is the repository that has it; nil is twelve records, four to a
	// response. fault is made anew for each test.
	on    *shelf
	fault func() spoil
	// params are further ones; again harvests soundly first; last is the last
	// attempt.
	params      string
	again, last bool
	// outcome, documents (each id once) and requests are what is wanted.
	outcome  string
	docs     int
	requests int
	check    func(t *testing.T, r *result, s *stand)
}

func say(w http.ResponseWriter, text string) bool {
	w.Header().Set("Content-Type", "text/xml")
	io.WriteString(w, text) // the client may be gone
	return true
}

// onToken spoils the answers to tokens that end so.
func onToken(end string, answer func(w http.ResponseWriter, q url.Values) bool) func() spoil {
	return func() spoil {
		return func(w http.ResponseWriter, q url.Values) bool {
			token := q.Get("resumptionToken")
			return token != "" && strings.HasSuffix(token, end) && answer(w, q)
		}
	}
}

// rewrite changes the text of answers to a verb.
func rewrite(s *shelf, verb string, old, text string) func() spoil {
	return func() spoil {
		return func(w http.ResponseWriter, q url.Values) bool {
			return q.Get("verb") == verb && say(w, strings.ReplaceAll(s.answer(q), old, text))
		}
	}
}

// moveToken ends each list before its resumptionToken, and goes on with what place
// makes of the token and of the text that stood behind the list.
func moveToken(s *shelf, place func(token, rest string) string) func() spoil {
	return func() spoil {
		return func(w http.ResponseWriter, q url.Values) bool {
			text := s.answer(q)
			at := strings.Index(text, "<resumptionToken")
			if q.Get("verb") != "ListRecords" || at < 0 {
				return false
			}
			token, rest, _ := strings.Cut(text[at:], "</ListRecords>")
			return say(w, text[:at]+"</ListRecords>"+place(token, rest))
		}
	}
}

func usualShelf() *shelf { return newShelf(shelf{n: 12, size: 4, told: true}) }

func status(code int) func(w http.ResponseWriter, _ url.Values) bool {
	return func(w http.ResponseWriter, _ url.Values) bool {
		w.WriteHeader(code)
		return true
	}
}

func refuse(w http.ResponseWriter, _ url.Values) bool {
	return say(w, usualShelf().errorOf("badResumptionToken"))
}

// once lets a fault strike at its first opportunity only.
func once(f func() spoil) func() spoil {
	return func() spoil {
		struck, fault := false, f()
		return func(w http.ResponseWriter, q url.Values) bool {
			if struck {
				return false
			}
			struck = fault(w, q)
			return struck
		}
	}
}

func title(want string) func(*testing.T, *result, *stand) {
	return func(t *testing.T, r *result, _ *stand) {
		t.Helper()
		require.Equal(t, want, r.documents()[0].Title)
	}
}

func warned(part string) func(*testing.T, *result, *stand) {
	return func(t *testing.T, r *result, _ *stand) {
		t.Helper()
		require.Contains(t, strings.Join(r.warnings(), "\n"), part)
	}
}

func quirks() []quirk {
	s := usualShelf()
	return slices.Concat(tokenQuirks(s), noListQuirks(s), answerQuirks(s), transportQuirks(s))
}

func tokenQuirks(s *shelf) []quirk {
	emptied := func(size string) func(w http.ResponseWriter, q url.Values) bool {
		return func(w http.ResponseWriter, q url.Values) bool {
			return say(w, s.frame("<ListRecords>"+s.records[4].text+`<resumptionToken completeListSize="`+size+`" cursor="4">  </resumptionToken></ListRecords>`))
		}
	}
	return []quirk{
		{
			name: "same token forever", quirk: "the same token comes again and again", does: "the list stops at the first repetition; the next attempt begins it anew",
			fault: onToken(",4", func(w http.ResponseWriter, q url.Values) bool {
				return say(w, strings.ReplaceAll(s.answer(q), ",8</resumptionToken>", ",4</resumptionToken>"))
			}), outcome: "broken", docs: 8, requests: 3,
			check: func(t *testing.T, r *result, _ *stand) {
				require.ErrorContains(t, r.err, "same token")
				require.NotContains(t, string(r.checkpoint()), "token")
			},
		},
		{
			name: "same page forever", quirk: "the same page comes again and again, under ever new tokens", does: "the list stops at the first repetition",
			fault: func() spoil {
				n := 0
				return func(w http.ResponseWriter, q url.Values) bool {
					n++
					return q.Has("resumptionToken") && say(w, s.frame("<ListRecords>"+s.records[0].text+fmt.Sprintf("<resumptionToken>new,%d</resumptionToken></ListRecords>", n)))
				}
			}, outcome: "broken", docs: 4, requests: 4,
		},
		{
			name: "nothing new forever", quirk: "pages differ, but hold only what came before", does: "three in a row are one too many",
			fault: func() spoil {
				n := 0
				return func(w http.ResponseWriter, q url.Values) bool {
					n++
					a, b := s.records[n%4].text, s.records[(n+n/4)%4].text
					return q.Has("resumptionToken") && say(w, s.frame("<ListRecords>"+a+b+fmt.Sprintf("<resumptionToken>new,%d</resumptionToken></ListRecords>", n)))
				}
			}, outcome: "broken", docs: 4, requests: 5,
		},
		{
			name: "empty pages with a token", quirk: "pages without records still carry a token", does: "five are followed, the sixth ends the list",
			fault: func() spoil {
				n := 0
				return func(w http.ResponseWriter, q url.Values) bool {
					n++
					return q.Has("resumptionToken") && say(w, s.frame(fmt.Sprintf("<ListRecords><resumptionToken>%d</resumptionToken></ListRecords>", n)))
				}
			}, outcome: "broken", docs: 4, requests: 8,
		},
		{
			name: "empty token with attributes", quirk: "the last token is empty, with attributes or white space", does: "an empty token is the end, whatever it has",
			fault: onToken(",4", emptied("5")), outcome: "done", docs: 5, requests: 3,
		},
		{
			name: "badResumptionToken in mid-harvest", quirk: "a token is refused in mid-harvest", does: "asked once more, then the list goes on from its last datestamp, where it came in that order",
			fault: onToken(",,,8", refuse), outcome: "done", docs: 12, requests: 7, check: warned("it goes on from 2015-01-03T04:00:00Z"),
		},
		{
			name: "badResumptionToken, no order", quirk: "the same, and the list is not in the order of datestamps", does: "the span is halved until its lists are short enough",
			on: newShelf(shelf{n: 12, size: 4, mixed: true}), fault: onToken("", refuse), outcome: "done", docs: 12, requests: 0,
		},
		{
			name: "badResumptionToken at random", quirk: "every third request is refused its token", does: "asked once more",
			fault: func() spoil {
				n := 0
				return func(w http.ResponseWriter, q url.Values) bool {
					n++
					return n%3 == 0 && q.Has("resumptionToken") && refuse(w, q)
				}
			}, outcome: "done", docs: 12, requests: 5,
		},
		{
			name: "order that lies", quirk: "the list seems to be in the order of datestamps, and is not", does: "completeListSize from there on does not add up: the span is halved",
			on: lyingShelf(), fault: onToken(",,,8", refuse), outcome: "done", docs: 12, requests: 0,
		},
		{
			name: "noRecordsMatch on a later page", quirk: "noRecordsMatch answers a token", does: "it is the end of the list; what completeListSize says is missing makes it partial",
			fault:   onToken(",8", func(w http.ResponseWriter, _ url.Values) bool { return say(w, s.errorOf("noRecordsMatch")) }),
			outcome: "partial", docs: 8, requests: 4, check: warned("8 of the 12 records"),
		},
		{
			name: "token used twice", quirk: "a token that was used once is refused", does: "one more try, then the list goes on from its last datestamp",
			fault: func() spoil {
				used := map[string]int{}
				return func(w http.ResponseWriter, q url.Values) bool {
					token := q.Get("resumptionToken")
					used[token]++
					if token != "" && used[token] == 1 && strings.HasSuffix(token, ",,,8") { // the answer is lost
						w.WriteHeader(http.StatusBadRequest)
						return true
					}
					return token != "" && used[token] > 1 && refuse(w, q)
				}
			}, outcome: "done", docs: 12, requests: 7,
		},
		{
			name: "list size changes midway", quirk: "completeListSize changes midway", does: "the last one counts",
			fault: onToken(",4", func(w http.ResponseWriter, q url.Values) bool {
				return say(w, strings.ReplaceAll(s.answer(q), `completeListSize="12"`, `completeListSize="99"`))
			}), outcome: "done", docs: 12, requests: 4,
		},
		{
			name: "token needs encoding", quirk: "tokens hold blanks, +, /, =, & or !", does: "they are percent-encoded",
			fault: strangeToken("a b+c/d=e&f!g"), outcome: "done", docs: 5, requests: 3,
		},
		{
			name: "token breaks when encoded", quirk: "encoded tokens are not understood", does: "`encode_token: false`",
			fault: strangeToken("a+c/d=e!g:h"), params: `,"encode_token":false`, outcome: "done", docs: 5, requests: 3,
			check: func(t *testing.T, _ *result, st *stand) {
				require.Contains(t, st.raw, "verb=ListRecords&resumptionToken=a+c/d=e!g:h")
			},
		},
		{
			name: "token empty although more exists", quirk: "the first token is empty although more exists", does: "compared with completeListSize: partial, with a warning",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					return q.Get("verb") == "ListRecords" && emptied("12")(w, q)
				}
			}, outcome: "partial", docs: 1, requests: 2, check: warned("1 of the 12 records"),
		},
		{
			name: "set lost in the token", quirk: "the repository keeps only the last used set", does: "the records' own sets are compared with those of the first page",
			on: newShelf(shelf{n: 24, size: 4, sets: []string{"a", "b"}}), params: `,"set":"a"`,
			fault: onToken("a,4", func(w http.ResponseWriter, q url.Values) bool {
				other := newShelf(shelf{n: 24, size: 4, sets: []string{"a", "b"}})
				return say(w, other.answer(url.Values{"verb": q["verb"], "set": {"b"}}))
			}), outcome: "broken", docs: 4, requests: 3,
			check: func(t *testing.T, r *result, _ *stand) { require.ErrorContains(t, r.err, "none of 4 records is of a") },
		},
		{
			name: "prefix lost in the token", quirk: "the repository keeps only the last used prefix", does: "the metadata of oai_dc must be Dublin Core on later pages too",
			fault: onToken(",4", func(w http.ResponseWriter, q url.Values) bool {
				return say(w, strings.ReplaceAll(s.answer(q), "oai_dc:dc", "mods"))
			}), outcome: "broken", docs: 4, requests: 3,
		},
		{
			name: "tokens of another form", quirk: "tokens have a form of their own (JSON, XML, kilobytes)", does: "they are opaque",
			fault:   strangeToken(`{"from":"*","seek":["a&b"]}` + strings.Repeat("x", 3000)),
			outcome: "done", docs: 5, requests: 3,
		},
		{
			name: "no token at all", quirk: "a list without any token", does: "it is complete",
			on: newShelf(shelf{n: 5, size: 10}), outcome: "done", docs: 5, requests: 2,
		},
	}
}

// lyingShelf lists eight records in order, then one that lies before them.
func lyingShelf() *shelf {
	s := newShelf(shelf{n: 12, size: 4, told: true})
	s.records = append(append(append([]shelved{}, s.records[1:9]...), s.records[0]), s.records[9:]...)
	return s
}

// strangeToken leads to a second page by a token that must arrive as written.
func strangeToken(token string) func() spoil {
	s := usualShelf()
	return func() spoil {
		return func(w http.ResponseWriter, q url.Values) bool {
			if q.Get("verb") != "ListRecords" {
				return false
			}
			if q.Has("resumptionToken") {
				if got := q.Get("resumptionToken"); got != token && strings.ReplaceAll(got, " ", "+") != token {
					return say(w, s.errorOf("badResumptionToken"))
				}
				return say(w, s.frame("<ListRecords>"+s.records[4].text+"<resumptionToken/></ListRecords>"))
			}
			escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(token)
			return say(w, s.frame("<ListRecords>"+s.records[0].text+s.records[1].text+s.records[2].text+s.records[3].text+"<resumptionToken>"+escaped+"</resumptionToken></ListRecords>"))
		}
	}
}

func answerQuirks(s *shelf) []quirk {
	return []quirk{
		{
			name: "422 on an empty window", quirk: "a window without records is answered with 400, 404 or 422", does: "the span from the beginning is asked for, with dates alike: where it is answered, the window is empty",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					return q.Get("from") > "2016" && status(http.StatusUnprocessableEntity)(w, q)
				}
			}, again: true, outcome: "unchanged", docs: 0, requests: 2,
		},
		{
			name: "422 on every dated request", quirk: "dates themselves are refused so", does: "the neighbour is refused too: the refusal stands",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					return q.Has("from") && status(http.StatusUnprocessableEntity)(w, q)
				}
			}, again: true, outcome: "misconfigured", docs: 0, requests: 2,
		},
		{
			name: "500 on a token", quirk: "a token is answered with 500", does: "the item is tried again; on the last attempt the list goes on from its last datestamp",
			fault: onToken(",,,8", status(http.StatusInternalServerError)), last: true, outcome: "done", docs: 12, requests: 6,
		},
		{
			name: "500 on a token, attempts left", quirk: "the same, while attempts are left", does: "the page is asked for again by the next attempt",
			fault: onToken(",,,8", status(http.StatusInternalServerError)), outcome: "server_error", docs: 8, requests: 4,
		},
		{
			name: "control characters", quirk: "control characters (0x0B and others)", does: "left out; TAB, LF and CR stay",
			fault: rewrite(s, "ListRecords", "Perché 0", "Per\x0bch\x00é\t0"), outcome: "done", docs: 12, requests: 4, check: title("Perché 0"),
		},
		{
			name: "malformed UTF-8", quirk: "bytes that are no UTF-8", does: "each is read as windows-1252",
			fault: rewrite(s, "ListRecords", "Perché 0", "Perch\xe9 0 Perché"), outcome: "done", docs: 12, requests: 4, check: title("Perché 0 Perché"),
		},
		{
			name: "wrong declared encoding", quirk: "the declaration names another encoding than is used", does: "valid UTF-8 is UTF-8; else the declared one, then windows-1252",
			fault: rewrite(s, "ListRecords", `encoding="UTF-8"`, `encoding="ISO-8859-1"`), outcome: "done", docs: 12, requests: 4, check: title("Perché 0"),
		},
		{
			name: "illegal character references", quirk: "references to forbidden characters (`&#x0B;`)", does: "left out, outside of CDATA",
			fault: rewrite(s, "ListRecords", "Perché 0", "Per&#x0B;ch&#11;é&#xFFFF; 0"), outcome: "done", docs: 12, requests: 4, check: title("Perché 0"),
		},
		{
			name: "HTML entities and bare ampersands", quirk: "`&nbsp;`, `&eacute;`, `Smith & Sons`", does: "written out, or escaped",
			fault: rewrite(s, "ListRecords", "Perché 0", "Perch&eacute; & 0"), outcome: "done", docs: 12, requests: 4, check: title("Perché & 0"),
		},
		{
			name: "namespaces declared outside", quirk: "namespaces are declared around the record, or nowhere", does: "the declarations in scope are copied into the record; usual prefixes get the usual ones",
			fault: rewrite(s, "ListRecords", ` xmlns:dc="http://purl.org/dc/elements/1.1/"`, ""), outcome: "done", docs: 12, requests: 4,
			check: func(t *testing.T, r *result, _ *stand) {
				require.Contains(t, string(r.documents()[0].Body), `<record xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">`)
			},
		},
		{
			name: "a record that is not XML", quirk: "tags of one record do not match", does: "it is set aside with its bytes; the others come",
			fault: rewrite(s, "ListRecords", "<dc:title>Perché 0</dc:title>", "<dc:title>Perché <b>0</dc:title>"), outcome: "partial", docs: 11, requests: 4,
			check: func(t *testing.T, r *result, _ *stand) {
				require.Equal(t, "oai:repo.example.org:0", r.rejects[0].ID)
				require.Contains(t, r.rejects[0].Reason, "</dc:title> ends <b>")
			},
		},
		{
			name: "granularity in lower case", quirk: "granularity is written in any case", does: "read in any case",
			fault: rewrite(s, "Identify", "YYYY-MM-DDThh:mm:ssZ", "yyyy-mm-ddThh:mm:ssz"), again: true, outcome: "unchanged", docs: 0, requests: 1,
			check: func(t *testing.T, _ *result, st *stand) {
				require.Equal(t, []string{"ListRecords from=2016-08-31T10:00:00Z"}, st.requests())
			},
		},
		{
			name: "granularity not as declared", quirk: "the declared granularity is refused", does: "the other form is tried, and remembered",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					return strings.Contains(q.Get("from"), "T") && say(w, s.errorOf("badArgument"))
				}
			}, again: true, outcome: "unchanged", docs: 0, requests: 2,
		},
		{
			name: "earliestDatestamp of another form", quirk: "earliestDatestamp is not in the declared form", does: "any usual form is read",
			fault: rewrite(s, "Identify", "2015-01-01T10:00:00Z</earliest", "2015</earliest"), params: `,"window":"month"`, outcome: "done", docs: 12, requests: 0,
		},
		{
			name: "no selective harvesting", quirk: "dates are not understood at all", does: "`granularity: none` sends none: everything is listed each time",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					return q.Has("from") && say(w, s.errorOf("badArgument"))
				}
			}, params: `,"granularity":"none"`, again: true, outcome: "done", docs: 12, requests: 3,
		},
		{
			name: "InternalException", quirk: "an error code of nobody's invention", does: "the repository's failure: asked again by the next attempt",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					return q.Get("verb") == "ListRecords" && say(w, s.errorOf("InternalException"))
				}
			}, outcome: "server_error", docs: 0, requests: 2,
		},
	}
}

// noListQuirks are answers that look like the end of a list and are none.
func noListQuirks(s *shelf) []quirk {
	bare := func(w http.ResponseWriter, _ url.Values) bool { return say(w, s.frame("")) }
	keeps := func(token string) func(*testing.T, *result, *stand) {
		return func(t *testing.T, r *result, _ *stand) {
			t.Helper()
			require.Contains(t, string(r.checkpoint()), `"token":"`+token+`"`, "the checkpoint stays where it was")
			require.NotContains(t, string(r.checkpoint()), "as_of")
		}
	}
	onList := func(answer func(w http.ResponseWriter, q url.Values) bool) func() spoil {
		return func() spoil {
			return func(w http.ResponseWriter, q url.Values) bool {
				return q.Get("verb") == "ListRecords" && answer(w, q)
			}
		}
	}
	year9999 := func(t *testing.T, r *result, _ *stand) {
		warned("its clock shows 9999-12-31")(t, r, nil)
		var c struct{ From, AsOf time.Time }
		require.NoError(t, json.Unmarshal(r.checkpoint(), &c))
		require.WithinRange(t, c.From, time.Now().Add(-26*time.Hour), time.Now().Add(24*time.Hour))
	}
	return []quirk{
		{
			name: "neither list nor error", quirk: "200 with an OAI-PMH element that holds neither a list nor an error", does: "no end of anything: nothing moves, the next run asks again",
			fault: onList(bare), outcome: "broken", docs: 0, requests: 2,
			check: func(t *testing.T, r *result, _ *stand) {
				require.ErrorContains(t, r.err, "neither ListRecords nor an error")
				require.Contains(t, string(harvest.AsError(r.err).Evidence), "responseDate")
			},
		},
		{
			name: "neither list nor error, nothing new", quirk: "the same where there was nothing new to come", does: "not taken for that: where the harvest begins does not move",
			fault: onList(bare), again: true, outcome: "broken", docs: 0, requests: 1,
		},
		{
			name: "neither list nor error on a token", quirk: "the same as the answer to a token", does: "the list is not over: the next attempt asks again; on the last one it goes on from its last datestamp",
			fault: onToken(",,,8", bare), outcome: "server_error", docs: 8, requests: 4, check: keeps(",,,8"),
		},
		{
			name: "neither list nor error on a token, last attempt", quirk: "the same on the last attempt", does: "the list goes on from its last datestamp",
			fault: onToken(",,,8", bare), last: true, outcome: "done", docs: 12, requests: 6,
		},
		{
			name: "another verb's answer", quirk: "ListRecords is answered with ListIdentifiers, headers alone", does: "nothing of it is taken: the documents would lose their text",
			fault: rewrite(s, "ListRecords", "ListRecords>", "ListIdentifiers>"), outcome: "broken", docs: 0, requests: 2,
		},
		{
			name: "no Identify", quirk: "Identify is answered with nothing in it", does: "no form of dates is concluded from it",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool { return q.Get("verb") == "Identify" && bare(w, q) }
			}, outcome: "broken", docs: 0, requests: 1,
		},
		{
			name: "token outside of the list", quirk: "resumptionToken stands behind `</ListRecords>`", does: "it is the list's",
			fault: moveToken(s, func(token, rest string) string { return token + rest }), outcome: "done", docs: 12, requests: 4,
		},
		{
			name: "token behind the root", quirk: "resumptionToken stands behind `</OAI-PMH>`", does: "it is the list's",
			fault: moveToken(s, func(token, rest string) string { return rest + token }), outcome: "done", docs: 12, requests: 4,
		},
		{
			name: "two tokens", quirk: "a list has two resumptionTokens, the last one empty", does: "the one that says more counts",
			fault: rewrite(s, "ListRecords", "</ListRecords>", "<resumptionToken/></ListRecords>"), outcome: "done", docs: 12, requests: 4,
		},
		{
			name: "token in a record that has no end", quirk: "the last record of a page is never closed, and the token has another prefix", does: "the record is set aside, the token stays the list's",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					text := s.answer(q)
					at := strings.LastIndex(text, "</record><resumptionToken")
					if q.Get("verb") != "ListRecords" || q.Has("resumptionToken") || at < 0 {
						return false
					}
					text = text[:at] + strings.NewReplacer("</record>", "", "<resumptionToken", `<o:resumptionToken xmlns:o="http://www.openarchives.org/OAI/2.0/"`, "</resumptionToken", "</o:resumptionToken").Replace(text[at:])
					return say(w, text)
				}
			}, outcome: "partial", docs: 11, requests: 4,
		},
		{
			name: "list and error", quirk: "a list breaks off in the repository: records, then an error, no token", does: "the records are taken, the list is not over",
			fault: onToken(",4", func(w http.ResponseWriter, _ url.Values) bool {
				return say(w, s.frame("<ListRecords>"+s.records[4].text+`</ListRecords><error code="InternalException">gone</error>`))
			}),
			outcome: "server_error", docs: 5, requests: 3, check: keeps(",,,4"),
		},
		{
			name: "error in the list", quirk: "the same, with the error inside of the list", does: "the same",
			fault: onToken(",4", func(w http.ResponseWriter, _ url.Values) bool {
				return say(w, s.frame("<ListRecords>"+s.records[4].text+`<error code="InternalException">gone</error></ListRecords>`))
			}),
			outcome: "server_error", docs: 5, requests: 3, check: keeps(",,,4"),
		},
		{
			name: "several errors", quirk: "noRecordsMatch beside another error", does: "only noRecordsMatch alone is nothing new",
			fault: onList(func(w http.ResponseWriter, _ url.Values) bool {
				return say(w, s.frame(`<error code="noRecordsMatch"/><error code="InternalException">no database</error>`))
			}), again: true, outcome: "server_error", docs: 0, requests: 1,
		},
		{
			name: "Deleted in any case", quirk: "`status=\"Deleted\"`, ` DELETED `", does: "read in any case",
			fault: rewrite(s, "ListRecords", `status="deleted"`, `status=" Deleted "`), outcome: "done", docs: 12, requests: 4,
			check: func(t *testing.T, r *result, _ *stand) { require.True(t, r.documents()[9].Deleted) },
		},
		{
			name: "a clock of the year 9999", quirk: "responseDate is more than a day ahead of our clock", does: "the next harvest begins by the header's Date, else by our clock; a warning says so",
			fault: rewrite(s, "ListRecords", "2016-09-01T10:00:00Z", "9999-12-31T23:59:59Z"), outcome: "done", docs: 12, requests: 4, check: year9999,
		},
		{
			name: "a clock of the year 2", quirk: "responseDate is centuries behind", does: "believed: too much comes each time, and nothing is lost",
			fault: rewrite(s, "ListRecords", "2016-09-01T10:00:00Z", "0002-01-01T00:00:00Z"), params: `,"overlap":"9999d"`, outcome: "done", docs: 12, requests: 4,
			check: func(t *testing.T, r *result, _ *stand) { require.Contains(t, string(r.checkpoint()), "made") },
		},
		{
			name: "datestamps of no year", quirk: "datestamps like 0000-00-00, 9999-12-31T23:59:59-05:00, 12026-01-01", does: "kept as written in `datestamp`, and no date",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					text := s.answer(q)
					for old, stamp := range map[string]string{s.records[0].stamp: "0000-00-00", s.records[1].stamp: "9999-12-31T23:59:59-05:00", s.records[2].stamp: "12026-01-01"} {
						text = strings.ReplaceAll(text, "<datestamp>"+old, "<datestamp>"+stamp)
					}
					return q.Get("verb") == "ListRecords" && say(w, text)
				}
			}, outcome: "done", docs: 12, requests: 4,
			check: func(t *testing.T, r *result, _ *stand) {
				for _, d := range r.documents()[:3] {
					require.True(t, d.Published.IsZero(), "%s", d.Published)
				}
			},
		},
		{
			name: "earliestDatestamp that is wrong", quirk: "earliestDatestamp lies behind the records, and dates before it are refused", does: "the list is asked for from its beginning, not from there",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					switch {
					case q.Get("verb") == "Identify":
						return say(w, strings.ReplaceAll(s.answer(q), "2015-01-01T10:00:00Z</earliest", "2015-08-01T10:00:00Z</earliest"))
					case q.Get("from") != "" && q.Get("from") < "2015-08":
						return say(w, s.errorOf("badArgument"))
					}
					return false
				}
			}, params: `,"from":"2015-01-01"`, outcome: "done", docs: 12, requests: 5,
		},
	}
}

func transportQuirks(s *shelf) []quirk {
	return []quirk{
		{
			name: "unannounced gzip", quirk: "gzip without a header that says so", does: "known by its first bytes",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					w.Header().Set("Content-Type", "text/xml")
					w.Write(zipped(s.answer(q))) // the client may be gone
					return true
				}
			}, outcome: "done", docs: 12, requests: 4, check: title("Perché 0"),
		},
		{
			name: "broken gzip", quirk: "compressed bodies are damaged", does: "asked again without compression, then always so",
			fault: func() spoil { return nil }, on: s, outcome: "done", docs: 12, requests: 5,
		},
		{
			name: "default agent refused", quirk: "the agent of Go's library is refused", does: "our own is sent always, with the owner's contact",
			fault: func() spoil { return nil }, outcome: "done", docs: 12, requests: 4,
			check: func(t *testing.T, _ *result, st *stand) {
				for _, h := range st.heads {
					require.Contains(t, h.Get("User-Agent"), "Vendemmia/test")
					require.Contains(t, h.Get("User-Agent"), "ops@example.org")
				}
			},
		},
		{
			name: "503 without end", quirk: "503 with Retry-After, again and again", does: "throttled: the host rests, the retry rules have the last word",
			fault: onToken("", func(w http.ResponseWriter, _ url.Values) bool {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}), outcome: "throttled", docs: 4, requests: 3,
			check: func(t *testing.T, r *result, _ *stand) {
				require.Equal(t, 7*time.Second, harvest.AsError(r.err).RetryAfter)
			},
		},
		{
			name: "no charset in the header", quirk: "the header names no charset, or a server's default", does: "only the body counts",
			fault: func() spoil {
				return func(w http.ResponseWriter, q url.Values) bool {
					w.Header().Set("Content-Type", "text/xml; charset=iso-8859-1")
					io.WriteString(w, s.answer(q)) // the client may be gone
					return true
				}
			}, outcome: "done", docs: 12, requests: 4, check: title("Perché 0"),
		},
		{
			name: "HTML where XML was due", quirk: "a page for people with status 200", does: "kept as evidence; a challenge page is blocked",
			fault: onToken(",4", func(w http.ResponseWriter, _ url.Values) bool {
				return say(w, "<!DOCTYPE html><html><body>Down</body></html>")
			}),
			outcome: "broken", docs: 4, requests: 3,
			check: func(t *testing.T, r *result, _ *stand) {
				require.Contains(t, string(harvest.AsError(r.err).Evidence), "Down")
			},
		},
		{
			name: "huge bodies", quirk: "a response without end", does: "the client's cap ends it",
			fault: onToken(",4", func(w http.ResponseWriter, _ url.Values) bool {
				for range 200 {
					if _, err := w.Write(bytes.Repeat([]byte("<!-- nothing -->"), 1000)); err != nil {
						break
					}
				}
				return true
			}), outcome: "broken", docs: 4, requests: 3,
		},
		{
			name: "cut short", quirk: "the body ends in its middle with a good status", does: "nothing of it is taken; asked again by the next attempt",
			fault: onToken(",4", func(w http.ResponseWriter, q url.Values) bool {
				text := s.answer(q)
				return say(w, text[:len(text)/2])
			}), outcome: "server_error", docs: 4, requests: 3,
		},
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text) // memory
	z.Close()               // memory
	return b.Bytes()
}

// damagedGzip answers with broken gzip whoever takes it.
type damagedGzip struct{ s *shelf }

func (d damagedGzip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept-Encoding") != "gzip" {
		d.s.ServeHTTP(w, r)
		return
	}
	b := zipped(d.s.answer(r.URL.Query()))
	copy(b[len(b)/2:], "damaged, as some proxies do")
	w.Header().Set("Content-Encoding", "gzip")
	w.Write(b) // the client may be gone
}

func TestQuirks(t *testing.T) {
	t.Parallel()
	for _, q := range quirks() {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			q.try(t)
		})
	}
}

func (q quirk) try(t *testing.T) {
	on := q.on
	if on == nil {
		on = usualShelf()
	}
	var fault spoil
	if q.fault != nil {
		fault = q.fault()
	}
	var source http.Handler = on
	if q.name == "broken gzip" {
		source = damagedGzip{on}
	}
	healthy, st := true, (*stand)(nil)
	st = serve(t, source, func(w http.ResponseWriter, v url.Values) bool {
		return (!healthy || !q.again || v.Get("verb") == "Identify") && fault != nil && fault(w, v)
	})
	req := harvest.Request{Params: st.params(q.params), Attempt: 1, LastAttempt: q.last}
	if q.again {
		first := st.fetch(t, req)
		require.NoError(t, first.err)
		require.Equal(t, sorted(on.ids()), first.ids())
		req.Checkpoint = first.checkpoint()
		st.forget()
		healthy = false
	}
	r := st.fetch(t, req)
	require.Equal(t, q.outcome, r.outcome(), "%v\n%s", r.err, strings.Join(st.requests(), "\n"))
	require.Len(t, r.ids(), q.docs, "%s", strings.Join(st.requests(), "\n"))
	if q.requests > 0 {
		require.Len(t, st.requests(), q.requests, "%s", strings.Join(st.requests(), "\n"))
	}
	if q.check != nil {
		q.check(t, r, st)
	}
}

// TestQuirksPage keeps the page of the documentation as the table is.
func TestQuirksPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Quirks of OAI-PMH repositories\n\nWhat repositories do that the protocol does not say, what `oaipmh` does about it, and how the item ends.\n" +
		"Every row is a test of `fetchers/oaipmh` (`TestQuirks`), which writes this page.\n\n| quirk | what is done | outcome |\n|---|---|---|\n")
	for _, q := range append(quirks(), loneQuirks()...) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", q.quirk, q.does, q.outcome)
	}
	golden.Compare(t, "../../docs/oaipmh-quirks.md", []byte(b.String()))
}

// loneQuirks are rows with a test of their own, below.
func loneQuirks() []quirk {
	return []quirk{
		{quirk: "pages that take longer than a minute", does: "`timeouts.request` bounds one, the checkpoint of the page before stays: nothing is asked for twice", outcome: "timeout"},
		{quirk: "certificates that do not verify", does: "never accepted; the error says what is wrong with them", outcome: "unreachable"},
		{quirk: "a token whose expirationDate has passed", does: "not asked for: the list goes on from its last datestamp; one that had expired when it was given is not believed", outcome: "done"},
		{quirk: "a set that has vanished answers like one with nothing new", does: "looked for once a week: without records of any date and absent from ListSets", outcome: "gone"},
		{quirk: "a record that could not be read", does: "set aside; asked for again at every fetch until it is read, gone or accepted: by GetRecord, else by the span of its datestamp", outcome: "partial"},
		{quirk: "GetRecord is not known, or fails", does: "the span is asked for; after three failures the rest waits for the next fetch, which goes on to the list all the same", outcome: "done"},
		{quirk: "a token that an earlier run left leads to what is not a list", does: "the list goes on from its last datestamp", outcome: "done"},
		{quirk: "a list that never ends, each page new", does: "cut after `max_pages` responses; the next run goes on from there", outcome: "partial"},
		{quirk: "ListSets that never ends", does: "cut after 5,000 responses", outcome: "broken"},
		{quirk: "a repository that moves for good, and whose identifiers change with its host", does: "followed; the documents keep their names", outcome: "unchanged"},
		{quirk: "a list of tens of thousands of records", does: "cut into months before it is read", outcome: "done"},
	}
}

func TestSlowPages(t *testing.T) {
	t.Parallel()
	enough := make(chan struct{})
	st := serve(t, usualShelf(), once(onToken(",4", func(http.ResponseWriter, url.Values) bool {
		<-enough
		return true
	}))())
	r := pump(t, oaipmh.New(politely(t, 400*time.Millisecond)), st, harvest.Request{})
	close(enough)
	require.Equal(t, "timeout", r.outcome())
	st.forget()
	rest := st.fetch(t, harvest.Request{Checkpoint: r.checkpoint()})
	require.NoError(t, rest.err)
	require.Len(t, rest.ids(), 8)
	require.Len(t, st.requests(), 2)
}

func TestCertificatesThatDoNotVerify(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(usualShelf())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	r := pump(t, oaipmh.New(politely(t, 5*time.Second)), &stand{Server: s}, harvest.Request{})
	require.Equal(t, "unreachable", r.outcome())
}
