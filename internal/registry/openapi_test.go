package registry

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// api is the part of docs/registry-api.yaml that tests read.
type api struct {
	Paths      map[string]map[string]any `yaml:"paths"`
	Components struct {
		Schemas map[string]schema `yaml:"schemas"`
	} `yaml:"components"`
}

type schema struct {
	Required   []string          `yaml:"required"`
	Additional any               `yaml:"additionalProperties"`
	Properties map[string]schema `yaml:"properties"`
	Enum       []string          `yaml:"enum"`
	MaxLength  int               `yaml:"maxLength"`
	MaxItems   int               `yaml:"maxItems"`
}

func readAPI(t *testing.T) api {
	t.Helper()
	raw, err := os.ReadFile("../../docs/registry-api.yaml")
	require.NoError(t, err)
	var a api
	require.NoError(t, yaml.Unmarshal(raw, &a))
	return a
}

// members are the names that a struct has in JSON; always those that it always has.
func members(v any) (all, always []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, name)
		if rest == "" {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}

func (s schema) names() (out []string) {
	for name := range s.Properties {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// The document says what the code reads and writes, no more and no less.
func TestTheInterfaceIsAsDocumented(t *testing.T) {
	t.Parallel()
	a := readAPI(t)
	schemas := a.Components.Schemas
	require.Contains(t, a.Paths["/jobs"], "get")
	require.Contains(t, a.Paths["/reports"], "post")

	job, _ := members(jsonJob{})
	require.Equal(t, job, schemas["Job"].names())
	require.ElementsMatch(t, job, jobKeys())
	require.Equal(t, false, schemas["Job"].Additional)
	require.Equal(t, PolicyKeys(), schemas["Job"].Properties["policies"].names())
	require.Equal(t, MaxID, schemas["Job"].Properties["id"].MaxLength)

	report, always := members(Report{})
	require.Equal(t, report, schemas["Report"].names())
	slices.Sort(schemas["Report"].Required)
	require.Equal(t, always, schemas["Report"].Required)
	require.Equal(t, []string{StateNew, StateRunning, StateWaiting, StateDisabled, StateClosing, StateRemoved, StateRefused}, schemas["Report"].Properties["state"].Enum)
	require.Equal(t, []string{"ok", "restart", "error", "terminated"}, schemas["Report"].Properties["ending"].Enum)

	reports, _ := members(jsonReports{})
	require.Equal(t, reports, schemas["Reports"].names())
	require.Equal(t, MaxReports, schemas["Reports"].Properties["reports"].MaxItems)
	page, _ := members(jsonPage{})
	require.Equal(t, page, schemas["Page"].names())
	taken, _ := members(jsonTaken{})
	require.Equal(t, taken, schemas["Taken"].names())
}
