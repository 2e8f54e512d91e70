package exec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// find returns the real path of a program, or another file, below the folders that the
// worker allows: no link leads out of them.
func (f *Fetcher) find(name string) (string, error) {
	refuse := func(format string, args ...any) error {
		e := harvest.Errorf(harvest.KindMisconfigured, "find program", name, format, args...)
		e.Advice = "start the worker with --exec-dir FOLDER (VENDEMMIA_EXEC_DIR), and give the campaign the queue of workers that have it"
		return e
	}
	if len(f.dirs) == 0 {
		return "", refuse("this worker runs no programs")
	}
	for _, dir := range f.dirs {
		root, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, name)
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil && strings.HasPrefix(real, strings.TrimSuffix(root, "/")+string(filepath.Separator)) {
			return real, nil
		}
	}
	return "", refuse("it is in no folder of exec-dir (%s)", strings.Join(f.dirs, ", "))
}

// room is a private folder of one run, with the files that the program gets.
type room struct {
	dir string
	// from is the file that the config was copied from; config is what was written.
	from   string
	config []byte
}

// newRoom makes it; leave takes it away.
func newRoom() (*room, error) {
	dir, err := os.MkdirTemp("", "vendemmia-exec-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the program: %w", err)
	}
	return &room{dir: dir}, nil // MkdirTemp makes it 0700
}

func (r *room) leave() { _ = os.RemoveAll(r.dir) } // what is left goes with /tmp

// write writes a private file and returns its path.
func (r *room) write(name string, content []byte) (string, error) {
	path := filepath.Join(r.dir, name)
	return path, os.WriteFile(path, content, 0o600)
}

// putConfig writes the config, from the params or from a file.
func (r *room) putConfig(f *Fetcher, p Params) (path string, err error) {
	r.config = asJSON(p.Config)
	if p.Config == nil {
		r.config = []byte("{}")
	}
	if p.File != "" {
		if r.from, err = f.find(p.File); err != nil {
			return "", err
		}
		if r.config, err = os.ReadFile(r.from); err != nil {
			return "", harvest.Errorf(harvest.KindMisconfigured, "read config_file", p.File, "%w", err)
		}
	}
	return r.write("config.json", r.config)
}

// takeBack keeps what the program made of its config, where there is a file for it; else
// it warns.
func (r *room) takeBack(path string, sent []byte) (warning string) {
	now := sent
	if now == nil {
		var err error
		if now, err = os.ReadFile(path); err != nil {
			return ""
		}
	}
	switch {
	case bytes.Equal(now, r.config) || len(bytes.TrimSpace(now)) == 0:
		return ""
	case r.from == "":
		return "the program changed its config, such as a token: that is lost; put the config into a config_file"
	}
	if err := replace(r.from, now); err != nil {
		return "the program changed its config, and it could not be kept: " + err.Error()
	}
	r.config = now
	return ""
}

// replace writes a file as a whole or not at all.
func replace(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".config-") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
