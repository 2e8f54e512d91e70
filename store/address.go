package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// sqlitePath returns the absolute path an address names.
func sqlitePath(address string) (string, error) {
	path := address
	if scheme, rest, ok := strings.Cut(address, ":"); ok && len(scheme) > 1 {
		switch scheme {
		case "sqlite":
			path = strings.TrimPrefix(rest, "//")
		case "postgres", "postgresql":
			return "", wrongAddress(scheme+"://…", "PostgreSQL is not supported yet", "use sqlite:PATH")
		default:
			return "", wrongAddress(harvest.Redact(address), "unknown kind of store "+scheme, "use sqlite:PATH")
		}
	}
	if path == "" {
		return "", wrongAddress(address, "the path is empty", "use sqlite:PATH")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", wrongAddress(address, err.Error(), "give an absolute path")
	}
	return abs, nil
}

func wrongAddress(on, text, advice string) error {
	return &harvest.Error{Kind: harvest.KindMisconfigured, Op: "open store", On: on, Err: errors.New(text), Advice: advice}
}

// ensureFile makes sure that a database file is there: an existing one, or a
// new empty one when create allows it.
func ensureFile(path string, create bool) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return wrongAddress(path, "this is a folder", "name a file inside it, such as "+filepath.Join(path, "vendemmia.db"))
	case err == nil && (info.Size() > 0 || create):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case !create:
		return wrongAddress(path, "there is no store here", "check the folder you are in and the store that is configured; `starter init` makes a new one in this folder, `starter setup --migrate --create` where --store says")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
