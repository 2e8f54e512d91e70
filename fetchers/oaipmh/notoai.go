package oaipmh

import (
	"bytes"
	"errors"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

// challengeSigns are words of pages that ask whether one is a person;
// captchaSigns stand on honest pages too, but not on small ones.
const (
	challengeSigns = "just a moment...</title|cf-browser-verification|cf_chl_opt|/cdn-cgi/challenge-platform|" +
		"attention required! |checking your browser before accessing|captcha-delivery.com|ddos protection by|" +
		"verify you are a human|verify you are human|making sure you're not a bot|sucuri website firewall|_incapsula_resource|px-captcha|" +
		"enable javascript and cookies to continue"
	captchaSigns = "captcha|are you a robot|access denied</title"
)

const smallPage = 16 << 10

const adviceBlocked = "the repository does not want this program, or this address: ask its administrator (adminEmail of Identify)"

// isChallenge reports a page that stands before the real answer.
func isChallenge(page []byte) bool {
	text := strings.ToLower(string(page[:min(len(page), maxEvidence)]))
	return holdsOne(text, challengeSigns) || len(page) < smallPage && holdsOne(text, captchaSigns)
}

func holdsOne(text, signs string) bool {
	for sign := range strings.SplitSeq(signs, "|") {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// notOAI says what came where a response was due.
func (ans *answer) notOAI(other *wire.NotOAI, contentType string) error {
	e := &harvest.Error{Kind: harvest.KindBroken, Op: "read response", On: ans.address, Err: other, Evidence: ans.evidence()}
	e.Advice = "look at the address in a browser, with ?verb=Identify; starter probe tells whether it is a repository"
	switch element := strings.ToLower(other.Element); {
	case len(bytes.TrimSpace(ans.body)) == 0:
		e.Err = errors.New("the answer is empty")
	case element != "html" && element != "head" && element != "body" && !strings.Contains(contentType, "html"):
	case isChallenge(ans.body):
		e.Kind, e.Err, e.Advice = harvest.KindBlocked, errors.New("a challenge page came, not a response"), adviceBlocked
	default:
		e.Err = errors.New("a page of HTML came, not a response")
	}
	return e
}
