// Package userfile reads the files that people name: secrets, lists, settings,
// params. Only regular files are read, never more than a bound, and nobody waits
// for ever: a device, a pipe or a folder is an error that says so.
package userfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// patience is how long a file may take: one on a network may never answer.
const patience = 30 * time.Second

// Read returns the content of a regular file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	return inTime(path, limit, func() (fs.File, error) {
		info, err := os.Stat(path) // before opening: a device may act on that
		if err != nil {
			return nil, err
		}
		if err := regular(path, info, limit); err != nil {
			return nil, err
		}
		return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
}

// ReadIn is Read for a file below a folder; no link leads out of it. A path is
// relative to the folder.
func ReadIn(folder, path string, limit int64) ([]byte, error) {
	name := filepath.Join(folder, path)
	return inTime(name, limit, func() (fs.File, error) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close() // it was only read
		info, err := root.Stat(path)
		if err != nil {
			return nil, err
		}
		if err := regular(name, info, limit); err != nil {
			return nil, err
		}
		return root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
}

// ReadFS is Read for a file of a file system.
func ReadFS(from fs.FS, name string, limit int64) ([]byte, error) {
	return inTime(name, limit, func() (fs.File, error) {
		info, err := fs.Stat(from, name)
		if err != nil {
			return nil, err
		}
		if err := regular(name, info, limit); err != nil {
			return nil, err
		}
		return from.Open(name)
	})
}

func inTime(path string, limit int64, open func() (fs.File, error)) ([]byte, error) {
	type answer struct {
		content []byte
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		content, err := read(path, limit, open)
		done <- answer{content, err}
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a := <-done:
		return a.content, a.err
	case <-late.C:
		return nil, fmt.Errorf("read %s: nothing came within %s", path, patience)
	}
}

func read(path string, limit int64, open func() (fs.File, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular(path, info, limit); err != nil { // it may have been exchanged
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = tooLarge(path, limit)
	}
	return content, err
}

func regular(path string, info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("read %s: it is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read %s: it is %s; only regular files are read", path, kind(info.Mode()))
	case info.Size() > limit:
		return tooLarge(path, limit)
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "a special file"
	}
}

// ErrTooLarge marks a file that is larger than its bound.
var ErrTooLarge = errors.New("too large")

func tooLarge(path string, limit int64) error {
	return fmt.Errorf("read %s: %w: more than %d bytes", path, ErrTooLarge, limit)
}
