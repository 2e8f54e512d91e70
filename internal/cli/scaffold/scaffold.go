package scaffold

import (
	"fmt"
	"path/filepath"
)

// Ours is the module that all fetchers import.
const Ours = "github.com/vendemmia/vendemmia"

// goVersion is the language version of a module that imports ours: at least that of
// our go.mod.
const goVersion = "1.26.0"

// Fetcher is what is to be written.
type Fetcher struct {
	// Name is the name of the fetcher and of its Go package.
	Name string
	// Module is the module path of a repository of its own; empty: in a checkout.
	Module string
	// Version of ours that the module requires, such as v1.2.0; empty: left to `go get`.
	Version string
}

// File is a file to write; Path is relative, with slashes.
type File struct {
	Path string
	Text []byte
}

// Made is what was written.
type Made struct {
	// Folder is where the files are, absolute.
	Folder string
	// Files are relative to it, in the order of writing.
	Files []string
	// Listed is the file of the checkout that lists the fetcher now; empty: none.
	Listed string
}

// InCheckout writes the fetcher into the checkout of the program at root or above
// it, and adds it to the list of fetchers. If anything fails, nothing is written.
func InCheckout(dir string, f Fetcher) (Made, error) {
	root, err := checkout(dir)
	if err != nil {
		return Made{}, err
	}
	if err := f.checkName(); err != nil {
		return Made{}, err
	}
	list, err := registered(root, f.Name)
	if err != nil {
		return Made{}, err
	}
	files, err := f.files()
	if err != nil {
		return Made{}, err
	}
	made := Made{Folder: root, Listed: listFile, Files: paths(files)}
	return made, place(root, files, &File{Path: listFile, Text: list})
}

// AsModule writes a repository of the fetcher's own into folder, which must not exist
// or be empty. If anything fails, nothing is written.
func AsModule(folder string, f Fetcher) (Made, error) {
	if err := checkModule(f.Module); err != nil {
		return Made{}, err
	}
	if err := f.checkName(); err != nil {
		return Made{}, err
	}
	files, err := f.files()
	if err != nil {
		return Made{}, err
	}
	made := Made{Folder: folder, Files: paths(files)}
	return made, placeFolder(folder, files)
}

func paths(files []File) (out []string) {
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

// placeFolder writes files into a new folder.
func placeFolder(folder string, files []File) error {
	for i := range files {
		files[i].Path = filepath.ToSlash(filepath.Join(filepath.Base(folder), files[i].Path))
	}
	if err := free(folder); err != nil {
		return fmt.Errorf("make %s: %w", folder, err)
	}
	return place(filepath.Dir(folder), files, nil)
}
