package source

import (
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

func OrNone(f []paramspec.Field) []paramspec.Field {
	if f == nil {
		return []paramspec.Field{}
	}
	return f
}

// CheckParams returns everything wrong with params as one usage error.
func CheckParams(kind fetchers.Kind, params json.RawMessage) error {
	problems := paramspec.Check(params, kind.Params)
	if len(problems) == 0 {
		return nil
	}
	text := ""
	for _, pr := range problems {
		field := "params"
		if pr.Field != "" {
			field += "." + pr.Field
		}
		text += fmt.Sprintf("\n  %s  %s", field, pr.Text)
	}
	return program.Usage("%s: %s with the params:%s\nsee `starter fetchers show %s`", kind.Name, print.Count(len(problems), "problem"), text, kind.Name)
}
