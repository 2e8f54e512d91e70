package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

// JSON decodes a body that is one JSON value into into. The error is
// KindServerError for a value that ends in its middle, KindBlocked for a challenge
// page and KindBroken for everything else, with the body as evidence.
func (a *Answer) JSON(into any) error {
	err := a.decode(into)
	if err == nil {
		return nil
	}
	e := harvest.Errorf(harvest.KindBroken, a.reading(), a.ask.Address, "it is not the JSON that was expected: %w", err)
	e.Evidence = a.Evidence()
	switch {
	case challenge.Is(a.Body):
		e.Kind = harvest.KindBlocked
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Kind = harvest.KindServerError
	}
	return e
}

func (a *Answer) decode(into any) error {
	body := bytes.TrimSpace(a.Body)
	switch {
	case len(body) == 0:
		return errors.New("the response is empty")
	case !utf8.Valid(body):
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return err
	}
	if len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return errors.New("something follows its end")
	}
	return nil
}
