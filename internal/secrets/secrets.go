// Package secrets resolves the references to secrets in campaign files,
// ${secret:env:NAME} and ${secret:file:PATH}, in the process that sends the request,
// and hides the values in everything that leaves it.
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

// maxFile limits the file of a secret. A larger file is a mistake.
const maxFile = 64 << 10

// Resolver returns the values of permitted references. The zero Resolver permits none.
// It is safe for concurrent use. Values are read again each time, so a rotated secret
// needs no restart.
type Resolver struct {
	Getenv func(string) string
	// Env are the permitted variables, by name or by pattern (A_*).
	Env []string
	// Dirs are the folders of permitted files.
	Dirs []string
}

// Text replaces all references in s and returns them, so that they can be masked in
// output. In an address a value is escaped for its position. A reference that cannot be
// resolved is a KindMisconfigured error that names the reference, never a value.
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

// Keys reads what a single reference names, again with each call; nil without a
// reference.
func (r Resolver) Keys(ref string) func() (string, error) {
	if ref == "" {
		return nil
	}
	return func() (string, error) {
		text, _, err := r.Text(ref)
		return text, err
	}
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

// may reports whether a variable is permitted.
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

// file reads the file of a secret without its final line break.
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

// read reads a file below one of the folders. The path is absolute, or relative to one
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

// fit escapes a value for its position in an address.
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

// writtenOut are literal passwords in addresses: from a source, or from a file of the
// time before they were refused. Their references only work inside Mask.
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

// JSON replaces the references in all strings of a JSON value, see Text. A value
// without references is returned unchanged. Names of members are not replaced.
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
