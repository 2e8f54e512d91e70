package export

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"path"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Layout says in which folder a document's file stands.
type Layout string

// The layouts: all in one folder; in 65,536 by what makes names differ; in one
// for each day (UTC) on which something changed.
const (
	Flat  Layout = "flat"
	Hash  Layout = "hash"
	Days  Layout = "days"
	tombs        = ".delete"
)

// Layouts returns all layouts, the default first.
func Layouts() []string { return []string{string(Flat), string(Hash), string(Days)} }

// maxSlug keeps names well below what file systems allow.
const maxSlug = 100

// base is a document's file without its extension, relative to the folder: its
// id as far as a name can hold it, and a digest, so that no two are alike, nor on
// a file system that does not tell cases apart.
func (l Layout) base(ch rows.Change) string {
	sum := sha256.Sum256([]byte(ch.Document.Collection + "\x00" + ch.Document.Line.ID))
	digest := hex.EncodeToString(sum[:6])
	name := slug(ch.Document.Line.ID) + "-" + digest
	switch l {
	case Hash:
		return path.Join(digest[:2], digest[2:4], name)
	case Days:
		return path.Join(strings.ReplaceAll(day(ch), "-", "/"), name)
	default:
		return name
	}
}

func slug(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_' {
			return r
		}
		return '_'
	}, id)
	return cmp.Or(strings.TrimLeft(name[:min(len(name), maxSlug)], "._-"), "document") // no name is an option or hidden
}

// extensions are ours rather than the machine's: a name must not depend on where
// it is written.
func extensions() map[string]string {
	return map[string]string{
		"application/json": ".json", "application/pdf": ".pdf", "application/xhtml+xml": ".html", "application/xml": ".xml", "application/zip": ".zip",
		"image/jpeg": ".jpg", "image/png": ".png", "text/csv": ".csv", "text/html": ".html", "text/markdown": ".md", "text/plain": ".txt", "text/xml": ".xml",
	}
}

// known are all extensions that a document's file may have had before.
func known() []string {
	out := []string{tombs, ".bin"}
	for _, ext := range extensions() {
		out = append(out, ext)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// extension is by media type, else by what the content looks like.
func extension(mediaType string, body []byte) string {
	kind := bare(mediaType)
	if ext := extensions()[kind]; ext != "" {
		return ext
	}
	switch {
	case isXML(mediaType, body):
		return ".xml"
	case strings.HasSuffix(kind, "+json"):
		return ".json"
	case strings.HasPrefix(kind, "text/"):
		return ".txt"
	case kind == "" && isText(body):
		return ".txt"
	default:
		return ".bin"
	}
}

func bare(mediaType string) string {
	kind, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		kind, _, _ = strings.Cut(mediaType, ";")
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

func isXML(mediaType string, body []byte) bool {
	switch kind := bare(mediaType); kind {
	case "text/xml", "application/xml":
		return true
	case "":
		return bytes.HasPrefix(bytes.TrimPrefix(body, []byte("\ufeff")), []byte("<?xml"))
	default:
		return strings.HasSuffix(kind, "+xml") && kind != "application/xhtml+xml"
	}
}

func isText(body []byte) bool { return !bytes.ContainsRune(body, 0) }
