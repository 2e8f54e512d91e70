package steps_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestUnknownKeysOfAStart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"campaign":"news","from":"nonsense","Processors":2}`:                                      {"from"},
		`{"campaign":"news","window":{"form":"2026-01-01T00:00:00Z"},"WINDOW2":1}`:                  {"WINDOW2", "window.form"},
		`{"campaign":"news","params":{"any":{"thing":1}},"window":{"from":"2026-01-01T00:00:00Z"}}`: nil,
		`{"campaign":"news","resume":{"run":{"of":"a newer worker"}},"newer":1}`:                    nil,
		`{"campaign":"news","unknown":["from"]}`:                                                    {"from"},
	} {
		var s steps.Start
		require.NoError(t, json.Unmarshal([]byte(text), &s), text)
		require.Equal(t, want, s.Unknown, text)
		again, err := json.Marshal(s)
		require.NoError(t, err)
		var back steps.Start
		require.NoError(t, json.Unmarshal(again, &back))
		require.Equal(t, want, back.Unknown, "it is handed on")
	}
	var keys []string
	for f := range reflect.TypeFor[steps.Start]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "unknown" {
			keys = append(keys, name)
		}
	}
	require.ElementsMatch(t, keys, steps.StartKeys())
}
