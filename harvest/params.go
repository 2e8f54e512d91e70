package harvest

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// Validator is a params struct with rules beyond its tags.
type Validator interface {
	Validate() error
}

// DecodeParams decodes raw params into P, a struct with these tags on its fields:
//
//	URL string `json:"url" doc:"address of the feed" required:"true" example:"https://…"`
//
// and also default:"…", enum:"a,b,c", secret:"true" (masked wherever it is printed) and
// extraction:"true" (a change makes the next run read everything again). Unknown params,
// wrong types, missing required params, values outside an enum and errors of Validate
// are KindMisconfigured errors that name the first problem.
func DecodeParams[P any](raw json.RawMessage) (P, error) {
	var p, none P
	if problems := paramspec.Decode(raw, &p); len(problems) > 0 {
		return none, Errorf(KindMisconfigured, "read params", problems[0].Field, "%s", problems[0].Text)
	}
	return p, nil
}
