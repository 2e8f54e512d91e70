package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

const (
	// maxName is how long a campaign's name may be.
	maxName = 63
	// MaxID is how long a job's id may be, in bytes.
	MaxID = 200
)

var (
	name  = regexp.MustCompile(`^[a-z][a-z0-9]{0,19}$`)
	plain = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	other = regexp.MustCompile(`[^a-z0-9]+`)
)

// CheckName returns an error for what cannot be a registry's name. There are no
// dashes in it, so that the names of two registries' campaigns never meet.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return fmt.Errorf("%q is not a name for a registry: a letter, then at most 19 lower-case letters and digits, for example library", text)
	}
	return nil
}

// CheckID returns an error for what cannot be a job's id.
func CheckID(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return fmt.Errorf("the id is empty")
	case len(id) > MaxID:
		return fmt.Errorf("the id has %d bytes, more than %d", len(id), MaxID)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }):
		return fmt.Errorf("the id %q holds control characters or is not UTF-8", id)
	default:
		return nil
	}
}

// Campaign is the name of a job's campaign: reg-library-4902. An id that is no part
// of a name is written in letters that are, with a short digest of the id itself.
func Campaign(registry, id string) string {
	whole := campaigns.RegistryPrefix + registry + "-" + id
	if plain.MatchString(id) && len(whole) <= maxName {
		return whole
	}
	sum := sha256.Sum256([]byte(id))
	tail := "-x" + hex.EncodeToString(sum[:5])
	head := strings.Trim(campaigns.RegistryPrefix+registry+"-"+other.ReplaceAllString(strings.ToLower(id), "-"), "-")
	return strings.TrimRight(head[:min(len(head), maxName-len(tail))], "-") + tail
}

// Project keeps the campaigns of a registry apart from those of files and of other
// registries: no apply of theirs, and no --prune, sees them.
func Project(registry string) string { return rows.RegistryProject(registry) }

// Of is the registry of a project's name; false when it is not one's.
func Of(project string) (string, bool) { return strings.CutPrefix(project, "registry ") }

// By is who did what a registry asked for, in events, pauses and runs.
func By(registry string) string { return "registry " + registry }
