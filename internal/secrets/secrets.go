// Package secrets resolves the references that stand for secrets in campaign
// files and settings, ${secret:env:NAME} and ${secret:file:PATH}, in the worker
// and nowhere else.
package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxFile bounds a secret's file: a larger one is no secret but a mistake.
const maxFile = 64 << 10

// Resolver finds the values of references. The zero Resolver finds none. It may
// be used by many goroutines at once; values are looked up anew each time, so a
// rotated secret needs no restart.
type Resolver struct {
	Getenv   func(string) string
	ReadFile func(string) ([]byte, error)
}

// New returns a resolver of this process's environment and files.
func New() Resolver { return Resolver{Getenv: os.Getenv, ReadFile: os.ReadFile} }

// Text replaces every reference in s and returns the values, so that they can be
// masked where they would be printed. An absent or empty secret is a
// KindMisconfigured error that names the reference, never a value.
func (r Resolver) Text(s string) (string, []string, error) {
	var values []string
	var failed error
	out := harvest.ReplaceReferences(s, func(ref string) string {
		value, err := r.value(ref)
		failed = errors.Join(failed, err)
		values = append(values, value)
		return value
	})
	if failed != nil {
		return "", nil, &harvest.Error{
			Kind: harvest.KindMisconfigured, Op: "resolve secret", Err: failed,
			Advice: "write ${secret:env:NAME} or ${secret:file:PATH}, and give the worker what it names",
		}
	}
	return out, values, nil
}

func (r Resolver) value(ref string) (string, error) {
	inner, closed := strings.CutSuffix(strings.TrimPrefix(ref, "${secret:"), "}")
	scheme, where, _ := strings.Cut(inner, ":")
	switch {
	case !closed:
		return "", fmt.Errorf("%s is not closed with }", ref)
	case where == "":
		return "", fmt.Errorf("%s names nothing", ref)
	case scheme == "env" && r.Getenv != nil:
		if v := r.Getenv(where); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("%s: the worker's environment has no such variable, or it is empty", ref)
	case scheme == "file" && r.ReadFile != nil:
		return r.file(ref, where)
	default:
		return "", fmt.Errorf("%s: secrets come from env or file, not from %q", ref, scheme)
	}
}

// file reads a secret's file; a line break at its end is an editor's.
func (r Resolver) file(ref, path string) (string, error) {
	raw, err := r.ReadFile(path)
	switch value := string(bytes.TrimRight(raw, "\r\n")); {
	case err != nil:
		return "", fmt.Errorf("%s: %w", ref, err)
	case len(raw) > maxFile:
		return "", fmt.Errorf("%s: the file has %d bytes; a secret has at most %d", ref, len(raw), maxFile)
	case value == "" || !utf8.ValidString(value):
		return "", fmt.Errorf("%s: the file is empty or no text", ref)
	default:
		return value, nil
	}
}

// JSON replaces the references in every string of a JSON value, however deep;
// see Text. Raw without references comes back as it is. Names of members are
// left alone.
func (r Resolver) JSON(raw json.RawMessage) (json.RawMessage, []string, error) {
	var values []string
	var failed error
	out, err := harvest.MapStrings(raw, func(s string) string {
		text, found, err := r.Text(s)
		if failed == nil {
			failed = err
		}
		values = append(values, found...)
		return text
	})
	switch {
	case err != nil:
		return nil, nil, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "resolve secrets", Err: err}
	case failed != nil:
		return nil, nil, failed
	}
	return out, values, nil
}

// Redact replaces every value in text by ***; the longest first, since one may
// hold another.
func Redact(text string, values []string) string {
	values = slices.SortedFunc(slices.Values(values), func(a, b string) int { return len(b) - len(a) })
	for _, v := range values {
		if v != "" {
			text = strings.ReplaceAll(text, v, "***")
		}
	}
	return text
}
