package takeover

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// pair is key:value without quotes, as is left of JSON after a shell.
var pair = regexp.MustCompile(`^\s*"?([A-Za-z_]\w*)"?\s*:\s*([^\s"{}\[\]][^"{}\[\]]*?)\s*$`)

// looseParams reads params that should be JSON. guessed: they are not, and were
// read as somebody must have meant them. Nested ones are not guessed at.
func looseParams(text string) (params map[string]json.RawMessage, guessed bool, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, false, nil
	}
	if params, err = paramspec.Object(json.RawMessage(text)); err == nil {
		return params, false, nil
	}
	inner, opened := strings.CutPrefix(strings.TrimSpace(text), "{")
	inner, closed := strings.CutSuffix(inner, "}")
	params = map[string]json.RawMessage{}
	for part := range strings.SplitSeq(inner, ",") {
		m := pair.FindStringSubmatch(part)
		if m == nil || !opened || !closed {
			return nil, false, errors.New("not JSON")
		}
		params[m[1]] = scalarJSON(m[2])
	}
	return params, true, nil
}

// scalarJSON is a number or a truth where the text is one, else the text.
func scalarJSON(text string) json.RawMessage {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil && v != nil {
		return json.RawMessage(text)
	}
	return quoted(text)
}

func quoted(text string) json.RawMessage {
	b, _ := json.Marshal(text) // text only: it cannot fail
	return b
}
