package oaipmh

import (
	"errors"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

const adviceBlocked = "the repository does not want this program, or this address: ask its administrator (adminEmail of Identify)"

// notOAI says what came where a response was due.
func (r *response) notOAI(other *wire.NotOAI) error {
	e := &harvest.Error{Kind: harvest.KindBroken, Op: "read response", On: r.address, Err: other, Evidence: r.Evidence()}
	e.Advice = "open the address in a browser, with ?verb=Identify; starter probe tells whether it is a repository"
	switch element := strings.ToLower(other.Element); {
	case r.Blank():
		e.Err = errors.New("the response is empty")
	case element != "html" && element != "head" && element != "body" && !strings.Contains(r.ContentType(), "html"):
	case challenge.Is(r.Body):
		e.Kind, e.Err, e.Advice = harvest.KindBlocked, errors.New("got a challenge page instead of an OAI-PMH response"), adviceBlocked
	default:
		e.Err = errors.New("got an HTML page instead of an OAI-PMH response")
	}
	return e
}
