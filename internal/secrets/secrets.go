// Package secrets resolves the references that stand for secrets in campaign
// files, ${secret:env:NAME} and ${secret:file:PATH}, in the process that asks the
// source and nowhere else, and hides the values wherever text leaves it.
package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// maxFile bounds a secret's file: a larger one is no secret but a mistake.
const maxFile = 64 << 10

// Resolver finds the values of references, of those that it was given and no
// others. The zero Resolver finds none. It may be used by many goroutines at
// once; values are looked up anew each time, so a rotated secret needs no restart.
type Resolver struct {
	Getenv func(string) string
	// Env are the variables that may be resolved, by name or by pattern (A_*).
	Env []string
	// Dirs are the folders whose files may be resolved.
	Dirs []string
}

// Text replaces every reference in s and returns what was found, so that it can
// be masked where it would be printed. In an address a value is escaped for the
// place where it stands. What cannot be resolved is a KindMisconfigured error that
// names the reference, never a value.
func (r Resolver) Text(s string) (string, Found, error) {
	var found Found
	var failed error
	shape := []byte(s) // with nothing in the place of references that means anything
	references.Replace(s, func(at int, ref string) string {
		copy(shape[at:], strings.Repeat("x", len(ref)))
		return ""
	})
	out := references.Replace(s, func(at int, ref string) string {
		base, write := wayOf(ref)
		value, err := r.value(base)
		failed = errors.Join(failed, err)
		found = append(found, Secret{Ref: base, Value: value})
		if write != nil {
			return write(value)
		}
		return fit(string(shape), at, at+len(ref), value)
	})
	if failed != nil {
		return "", nil, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "resolve secret", Err: failed}
	}
	return out, found, nil
}

func (r Resolver) value(ref string) (string, error) {
	inner, closed := strings.CutSuffix(strings.TrimPrefix(ref, "${secret:"), "}")
	scheme, where, _ := strings.Cut(inner, ":")
	switch {
	case !closed:
		return "", fmt.Errorf("%s is not closed with }", ref)
	case scheme != "env" && scheme != "file":
		return "", fmt.Errorf("%s: secrets come from env or file, not from %q; write ${secret:env:NAME} or ${secret:file:PATH}", ref, scheme)
	case where == "":
		return "", fmt.Errorf("%s names nothing; write ${secret:env:NAME} or ${secret:file:PATH}", ref)
	case scheme == "env":
		return r.env(ref, where)
	default:
		return r.file(ref, where)
	}
}

func (r Resolver) env(ref, name string) (string, error) {
	if !r.may(name) {
		return "", fmt.Errorf("%s: only variables that match %s are resolved; rename it, or add %s to the setting secret-env (worker --secret-env, VENDEMMIA_SECRET_ENV)", ref, words(r.Env), name)
	}
	if v := r.Getenv(name); v != "" {
		return v, nil
	}
	return "", fmt.Errorf("%s: the worker's environment has no such variable, or it is empty", ref)
}

// may reports whether a variable was given to this process as a secret.
func (r Resolver) may(name string) bool {
	for _, pattern := range r.Env {
		if fits, err := path.Match(pattern, name); err == nil && fits && r.Getenv != nil {
			return true
		}
	}
	return false
}

func words(list []string) string {
	if len(list) == 0 {
		return "nothing (secret-env is empty)"
	}
	return strings.Join(list, ", ")
}

// file reads a secret's file; a line break at its end is an editor's.
func (r Resolver) file(ref, name string) (string, error) {
	raw, err := r.read(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", ref, err)
	}
	value := string(bytes.TrimRight(raw, "\r\n"))
	if value == "" || !utf8.ValidString(value) {
		return "", fmt.Errorf("%s: the file is empty or no text", ref)
	}
	return value, nil
}

// read reads a file below one of the folders: a path is whole, or relative to one
// of them.
func (r Resolver) read(name string) ([]byte, error) {
	err := fmt.Errorf("only files below %s are read; put it there, or add %s to the setting secret-dir (worker --secret-dir, VENDEMMIA_SECRET_DIR)", folders(r.Dirs), filepath.Dir(name))
	for _, dir := range r.Dirs {
		inside := name
		if filepath.IsAbs(name) {
			var outside error
			if inside, outside = filepath.Rel(dir, name); outside != nil {
				continue
			}
		}
		if !filepath.IsLocal(inside) {
			continue
		}
		var raw []byte
		if raw, err = userfile.ReadIn(dir, inside, maxFile); err == nil {
			return raw, nil
		}
	}
	return nil, err
}

func folders(list []string) string {
	if len(list) == 0 {
		return "the folders of the setting secret-dir, which names none,"
	}
	return strings.Join(list, ", ")
}

// fit escapes a value that stands from one place to another of an address.
func fit(address string, from, to int, value string) string {
	scheme, before, isAddress := strings.Cut(address[:from], "://")
	if !isAddress || strings.ContainsAny(scheme, "/?#@ ") {
		return value
	}
	authority, _, _ := strings.Cut(address[to:], "/")
	switch {
	case strings.ContainsAny(before, "?#"):
		return url.QueryEscape(value)
	case strings.Contains(before, "/"):
		return escapePath(value)
	case strings.Contains(authority, "@"):
		return escapeUser(value)
	default:
		return value
	}
}

// writtenOut are the passwords of addresses that a source named, or that stood in a
// file before that was refused. Their references are of no use outside of Mask.
func writtenOut(raw json.RawMessage) (found Found) {
	if references.AddressWithPassword(raw) == "" {
		return nil
	}
	_, _ = references.MapAllStrings(raw, func(text string) string { // it was read just now
		if pw := references.Password(text); pw != "" {
			ref := fmt.Sprintf("${secret:url:%d}", len(found)+1)
			found = append(found, Secret{Ref: ref, Value: pw})
			if plain, err := url.PathUnescape(pw); err == nil && plain != pw {
				found = append(found, Secret{Ref: strings.Replace(ref, "url", "url-plain", 1), Value: plain})
			}
		}
		return text
	})
	return found
}

// JSON replaces the references in every string of a JSON value, however deep;
// see Text. Raw without references comes back as it is. Names of members are
// left alone.
func (r Resolver) JSON(raw json.RawMessage) (json.RawMessage, Found, error) {
	var all Found
	var failed error
	out, err := references.MapStrings(raw, func(s string) string {
		text, found, err := r.Text(s)
		if failed == nil {
			failed = err
		}
		all = append(all, found...)
		return text
	})
	switch {
	case err != nil:
		return nil, nil, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "resolve secrets", Err: err}
	case failed != nil:
		return nil, nil, failed
	}
	return out, append(all, writtenOut(raw)...), nil
}
