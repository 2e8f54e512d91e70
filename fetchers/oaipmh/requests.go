package oaipmh

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// first are the arguments of a list's first request.
func (p Params) first(verb string, s span, g granularity) string {
	args := "verb=" + verb + "&metadataPrefix=" + url.QueryEscape(p.prefix())
	if p.Set != "" {
		args += "&set=" + url.QueryEscape(p.Set)
	}
	if !s.From.IsZero() && g != never {
		args += "&from=" + url.QueryEscape(g.format(s.From))
	}
	if !s.Until.IsZero() && g != never {
		args += "&until=" + url.QueryEscape(g.format(s.Until))
	}
	return args
}

// next are the arguments of the requests that follow: the token alone (OAI-PMH
// 2.0, section 3.5).
func (p Params) next(verb, token string) string {
	if p.EncodeToken != nil && !*p.EncodeToken {
		return "verb=" + verb + "&resumptionToken=" + bare(token)
	}
	return "verb=" + verb + "&resumptionToken=" + url.QueryEscape(token)
}

// bare escapes only what cannot stand in a request at all.
func bare(token string) string {
	var b strings.Builder
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>#`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// says returns the text of the protocol error with that code.
func (ans response) says(code string) (text string, ok bool) {
	if ans.Response == nil {
		return "", false
	}
	for _, e := range ans.Errors {
		if e.Code == code {
			return e.Text, true
		}
	}
	return "", false
}

// saysNone reports that there is nothing to list, and no other trouble.
func (ans response) saysNone() bool {
	return len(ans.Errors) > 0 && !slices.ContainsFunc(ans.Errors, func(e wire.Error) bool { return e.Code != "noRecordsMatch" })
}

// failed reports an answer that is errors and nothing else.
func (ans response) failed() bool {
	return len(ans.Errors) > 0 && len(ans.Records) == 0 && ans.Token.Value == ""
}

// protocolError gives the errors of an answer a kind: the first that only the
// file can help wins, the codes of section 3.6 apart from noRecordsMatch, which
// is none. Codes of nobody's invention are the repository's own failures.
func (a *asking) protocolError(ans response) error {
	e := &harvest.Error{Kind: harvest.KindServerError, Op: "ask", On: ans.address}
	worst := max(0, slices.IndexFunc(ans.Errors, func(e wire.Error) bool { return e.Code != "noRecordsMatch" }))
	code, text := ans.Errors[worst].Code, ans.Errors[worst].Text
	for _, known := range []string{"cannotDisseminateFormat", "noMetadataFormats", "noSetHierarchy", "badVerb", "badArgument"} {
		if t, ok := ans.says(known); ok {
			e.Kind, code, text = harvest.KindMisconfigured, known, t
			break
		}
	}
	e.Err = fmt.Errorf("the repository answers %s: %s", quoted(code, "an error without a code"), quoted(wording.Clip(text, 300), "(without a word)"))
	switch code {
	case "cannotDisseminateFormat", "noMetadataFormats":
		e.Advice = a.formatAdvice()
	case "noSetHierarchy":
		e.Advice = "it has no sets: leave out set, or split"
	case "badArgument":
		e.Advice = "compare url, set, granularity, from and until with ?verb=Identify and ?verb=ListSets; granularity: none does without dates"
	}
	return e
}

func quoted(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}

// formatAdvice names the formats there are, the nearest first.
func (a *asking) formatAdvice() string {
	formats := a.formats()
	if len(formats) == 0 {
		return "?verb=ListMetadataFormats lists the formats there are"
	}
	if near := wording.Nearest(a.params.prefix(), formats); near != "" {
		return "did you mean prefix: " + near + "? There are " + strings.Join(formats, ", ")
	}
	return "prefix is one of " + strings.Join(formats, ", ")
}

const maxNamed = 20

// formats lists the prefixes; nil when they cannot be had.
func (a *asking) formats() (names []string) {
	ans, err := a.ask("verb=ListMetadataFormats")
	if err != nil {
		return nil
	}
	for _, f := range ans.Formats[:min(len(ans.Formats), maxNamed)] {
		names = append(names, f.Prefix)
	}
	return names
}
