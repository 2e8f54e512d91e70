package values

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/vendemmia/vendemmia/internal/references"
)

// NamePattern is what campaigns, entries and projects may be called.
const NamePattern = `^[a-z0-9][a-z0-9-]{0,62}$`

// Name says what is wrong with a name, or nil.
func Name(text string) error {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	if text != "" && len(text) <= 63 && text[0] != '-' && !strings.ContainsFunc(text, odd) {
		return nil
	}
	return fmt.Errorf("%q is not a name; lower-case letters, digits and dashes, at most 63, for example gu-serie-generale", text)
}

// QueuePattern is what a task queue may be called.
const QueuePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`

var (
	queue  = regexp.MustCompile(QueuePattern)
	secret = regexp.MustCompile(`\$+\{secret:(env:[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\}`)
)

// Queue says what is wrong with a task queue's name, or nil.
func Queue(text string) error {
	if queue.MatchString(text) {
		return nil
	}
	return fmt.Errorf("%q is not a task queue; letters, digits, dots and dashes, for example library", text)
}

// Secrets says what is wrong with the references to secrets in a text, or nil.
// They are ${secret:env:NAME} and ${secret:file:PATH}; nothing is resolved.
func Secrets(text string) error {
	if references.Password(text) != "" {
		return fmt.Errorf("a password has no place in the file; write %s", references.ReplacePassword(text, references.PasswordReference))
	}
	rest := secret.ReplaceAllString(text, "")
	if references.Has(rest) {
		return fmt.Errorf("%q: a secret is ${secret:env:NAME} or ${secret:file:PATH}", text)
	}
	return nil
}
