package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// place writes files below root, each into a folder that is not there yet, and then
// replaces one file. After an error root is as it was.
func place(root string, files []File, replaced *File) (err error) {
	tops := newFolders(root, files)
	for _, top := range tops {
		if err := free(filepath.Join(root, top)); err != nil {
			return fmt.Errorf("make %s: %w", top, err)
		}
	}
	var undo []string
	defer func() {
		if err != nil {
			for _, folder := range undo {
				os.RemoveAll(folder) // it was made just now
			}
		}
	}()
	for _, top := range tops {
		staged, err := stage(root, top, files)
		undo = append(undo, staged)
		if err != nil {
			return err
		}
		if err := settle(staged, filepath.Join(root, top)); err != nil {
			return err
		}
		undo = append(undo, filepath.Join(root, top))
	}
	if replaced == nil {
		return nil
	}
	return replace(filepath.Join(root, replaced.Path), replaced.Text)
}

// settle moves a folder to its place, also where an empty one stands.
func settle(staged, at string) error {
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(staged, at)
}

// newFolders are the topmost folders of files that root does not have, sorted.
func newFolders(root string, files []File) (tops []string) {
	for _, f := range files {
		top := path.Dir(f.Path)
		for up := path.Dir(top); up != "." && !isFolder(filepath.Join(root, up)); up = path.Dir(up) {
			top = up
		}
		tops = append(tops, top)
	}
	slices.Sort(tops)
	tops = slices.Compact(tops)
	return slices.DeleteFunc(tops, func(t string) bool {
		return slices.ContainsFunc(tops, func(o string) bool { return o != t && len(t) > len(o) && t[:len(o)+1] == o+"/" })
	})
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// free is an error where something is in the way; an empty folder is not.
func free(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("it is in the way: %w", err)
	case len(entries) > 0:
		return errors.New("it exists and is not empty; take another name, or remove it")
	}
	return nil
}

// stage writes the files of one new folder beside its place, under a name that Go
// does not look into.
func stage(root, top string, files []File) (string, error) {
	at := filepath.Join(root, top)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return "", err
	}
	staged, err := os.MkdirTemp(filepath.Dir(at), ".new-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(staged, 0o755); err != nil {
		return staged, err
	}
	for _, f := range files {
		inside, err := filepath.Rel(top, f.Path)
		if err != nil || !filepath.IsLocal(inside) {
			continue
		}
		if err := write(filepath.Join(staged, inside), f.Text); err != nil {
			return staged, err
		}
	}
	return staged, nil
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// replace writes a file as a whole.
func replace(name string, text []byte) error {
	next := name + ".new"
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	if err := os.Rename(next, name); err != nil {
		os.Remove(next) // it was made just now
		return err
	}
	return nil
}
