package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// bucket is a folder of files named by their digest, in 256 folders by the
// first two digits. Files are written whole or not at all and never change.
type bucket struct{ root string }

func newBucket(path, root string) bucket {
	if root == "" {
		root = filepath.Join(filepath.Dir(path), "blobs")
	}
	return bucket{root: root}
}

// file returns where a digest is kept, or an error for what is no digest.
func (b bucket) file(digest string) (string, error) {
	digits, ok := strings.CutPrefix(digest, sha256Prefix)
	if !ok || len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%q is no digest: %w", digest, fs.ErrInvalid)
	}
	return filepath.Join(b.root, digits[:2], digits[2:]), nil
}

// PutBlob stores bytes under their digest and returns it. Storing the same bytes
// again only makes the file young again, so that the cleaner leaves it until the
// row that names it is there.
func (s *Store) PutBlob(_ context.Context, content []byte) (digest string, err error) {
	digest = harvest.Digest(content)
	file, err := s.bucket.file(digest)
	if err != nil {
		return "", fault("store blob", digest, err)
	}
	if info, err := os.Stat(file); err == nil && info.Size() == int64(len(content)) {
		now := time.Now()
		return digest, fault("store blob", digest, os.Chtimes(file, now, now))
	}
	return digest, fault("store blob", digest, writeFile(file, content))
}

// writeFile makes a file durable before its name appears.
func writeFile(file string, content []byte) (err error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".part-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), file); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder makes a rename durable. Some systems cannot sync folders; there the
// rename is durable by itself or not at all.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) {
		return errors.Join(err, d.Close())
	}
	return d.Close()
}

// Blob opens a blob for reading, or returns rows.ErrNotFound.
func (s *Store) Blob(_ context.Context, digest string) (io.ReadCloser, error) {
	file, err := s.bucket.file(digest)
	if err != nil {
		return nil, notFound("blob %s", digest)
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("blob %s", digest)
	}
	if err != nil {
		return nil, fault("read blob", digest, err)
	}
	return f, nil
}
