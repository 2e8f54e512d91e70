package exec

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// Params say what runs, and how it is spoken with.
type Params struct {
	Program  string            `json:"program" doc:"name of an executable file in a folder of the worker's setting exec-dir, or its whole path" required:"true" example:"tap-github"`
	Args     []string          `json:"args" doc:"arguments, before those that the protocol adds"`
	Protocol string            `json:"protocol" doc:"what it speaks" enum:"vendemmia,singer,airbyte" default:"vendemmia"`
	Config   map[string]any    `json:"config" doc:"what it is told: on its input (vendemmia), or in a private file behind --config; secrets by reference"`
	File     string            `json:"config_file" doc:"singer, airbyte: a file below exec-dir with the config instead; what the program writes into its copy is kept there, such as a renewed token"`
	Env      map[string]string `json:"env" doc:"variables of its environment, beside PATH, HOME, TMPDIR and LANG; secrets by reference"`
	Catalog  map[string]any    `json:"catalog" doc:"singer, airbyte: the catalog; absent: what the program discovers, as far as streams names it"`
	Streams  []string          `json:"streams" doc:"names of the streams to read; absent: all"`

	PrimaryKey []string `json:"primary_key" doc:"members of a record that are its id, where the stream names none" extraction:"true" example:"[id]"`
	Title      string   `json:"title" doc:"member of a record that is its title" extraction:"true"`
	Published  string   `json:"published" doc:"member of a record that is its date" extraction:"true"`
	Link       string   `json:"url" doc:"member of a record that is its address" extraction:"true"`

	Batch   int    `json:"batch" doc:"about how many documents are committed at once, at most 1000" default:"200"`
	Silence string `json:"silence" doc:"a program that writes nothing for so long is ended" default:"30m"`
}

// The protocols.
const (
	ours    = "vendemmia"
	singer  = "singer"
	airbyte = "airbyte"
)

const (
	defaultBatch   = 200
	defaultSilence = 30 * time.Minute
)

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	for name := range p.Env {
		if !variable.MatchString(name) {
			return fmt.Errorf("env: %q is not the name of a variable", name)
		}
	}
	switch silence, err := p.silence(); {
	case err != nil || silence <= 0:
		return fmt.Errorf("silence: %q is not a time, such as 30m", p.Silence)
	case p.Batch < 0 || p.Batch > harvest.MaxPageDocuments:
		return fmt.Errorf("batch is from 1 to %d", harvest.MaxPageDocuments)
	case p.File != "" && (p.Config != nil || p.protocol() == ours):
		return errors.New("config_file is for singer and airbyte, instead of config")
	case p.protocol() == ours && (p.Catalog != nil || p.Streams != nil):
		return errors.New("catalog and streams are for singer and airbyte")
	}
	return nil
}

func (p Params) protocol() string {
	if p.Protocol == "" {
		return ours
	}
	return p.Protocol
}

func (p Params) silence() (time.Duration, error) {
	if p.Silence == "" {
		return defaultSilence, nil
	}
	return times.ParseDuration(p.Silence)
}

func (p Params) batch() int {
	if p.Batch == 0 {
		return defaultBatch
	}
	return p.Batch
}

// made is the fingerprint of what decides whether a state fits. The config is not in it:
// it has secrets, which change.
func (p Params) made() (string, error) {
	return harvest.Fingerprint([]any{p.Program, p.Args, p.protocol(), p.Catalog, p.Streams})
}

// asJSON is a value that was read from JSON.
func asJSON(v any) json.RawMessage {
	b, _ := json.Marshal(v) // it was read from JSON
	return b
}
