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
	"regexp"
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

// reference is ${secret:SCHEME:WHERE}.
func reference() *regexp.Regexp { return regexp.MustCompile(`\$\{secret:([^}:]*):?([^}]*)\}`) }

// Text replaces every reference in s and returns the values, so that they can be
// masked where they would be printed. An absent or empty secret is a
// KindMisconfigured error that names the reference, never a value.
func (r Resolver) Text(s string) (string, []string, error) {
	if !strings.Contains(s, "${secret:") {
		return s, nil, nil
	}
	var values []string
	var failed error
	out := reference().ReplaceAllStringFunc(s, func(ref string) string {
		value, err := r.value(ref)
		failed = errors.Join(failed, err)
		values = append(values, value)
		return value
	})
	if failed == nil && strings.Contains(reference().ReplaceAllString(s, ""), "${secret:") {
		failed = fmt.Errorf("a reference is not closed with }")
	}
	if failed != nil {
		return "", nil, &harvest.Error{
			Kind: harvest.KindMisconfigured, Op: "resolve secret", Err: failed,
			Advice: "write ${secret:env:NAME} or ${secret:file:PATH}, and give the worker what it names",
		}
	}
	return out, values, nil
}

func (r Resolver) value(ref string) (string, error) {
	m := reference().FindStringSubmatch(ref)
	scheme, where := m[1], m[2]
	switch {
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
	if !bytes.Contains(raw, []byte("${secret:")) {
		return raw, nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, nil, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "resolve secrets", Err: err}
	}
	var values []string
	v, err := r.walk(v, &values)
	if err != nil {
		return nil, nil, err
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, nil, &harvest.Error{Kind: harvest.KindInternal, Op: "resolve secrets", Err: err}
	}
	return out, values, nil
}

func (r Resolver) walk(v any, values *[]string) (any, error) {
	switch v := v.(type) {
	case string:
		text, found, err := r.Text(v)
		*values = append(*values, found...)
		return text, err
	case []any:
		for i := range v {
			var err error
			if v[i], err = r.walk(v[i], values); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			var err error
			if v[name], err = r.walk(v[name], values); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
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
