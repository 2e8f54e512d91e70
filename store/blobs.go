package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// bucket keeps bytes under their digest. A digest is one of ours: checked.
type bucket interface {
	// put keeps content, or makes it young again when it is there already.
	put(ctx context.Context, digest string, content []byte) error
	// get opens content; fs.ErrNotExist when there is none.
	get(ctx context.Context, digest string) (io.ReadCloser, error)
	// size of what is kept, 0 when there is none.
	size(ctx context.Context, digest string) (int64, error)
	// clean removes what is older than limit and what named says no of, and
	// returns how many that were.
	clean(ctx context.Context, limit time.Time, named isNamed) (int, error)
	// place is where the bucket is, for errors.
	place() string
}

// folder is a bucket of files named by their digest, in 256 folders by the
// first two digits. Files are written whole or not at all and never change.
type folder struct{ root string }

func newFolder(path, root string) folder {
	if root == "" {
		root = filepath.Join(filepath.Dir(path), "blobs")
	}
	return folder{root: root}
}

func (b folder) place() string { return b.root }

// isDigest reports whether text is a digest as the bucket names them.
func isDigest(text string) bool {
	digits, ok := strings.CutPrefix(text, sha256Prefix)
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// file returns where a digest is kept, or an error for what is no digest.
func (b folder) file(digest string) (string, error) {
	if !isDigest(digest) {
		return "", fmt.Errorf("%q is no digest: %w", digest, fs.ErrInvalid)
	}
	digits := strings.TrimPrefix(digest, sha256Prefix)
	return filepath.Join(b.root, digits[:2], digits[2:]), nil
}

// PutBlob stores bytes under their digest and returns it. Storing the same bytes
// again only makes them young again, so that the cleaner leaves them until the
// row that names them is there.
func (s *Store) PutBlob(ctx context.Context, content []byte) (digest string, err error) {
	digest = harvest.Digest(content)
	return digest, fault("store blob", digest, s.bucket.put(ctx, digest, content))
}

func (b folder) put(_ context.Context, digest string, content []byte) error {
	file, err := b.file(digest)
	if err != nil {
		return err
	}
	if info, err := os.Stat(file); err == nil && info.Size() == int64(len(content)) {
		now := time.Now()
		return os.Chtimes(file, now, now)
	}
	return writeFile(file, content)
}

func (b folder) size(_ context.Context, digest string) (int64, error) {
	file, err := b.file(digest)
	if err != nil {
		return 0, nil // nothing is kept under such a name
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, ignoreMissing(err)
	}
	return info.Size(), nil
}

// writeFile makes a file durable before its name appears.
func writeFile(file string, content []byte) (err error) {
	dir := filepath.Dir(file)
	if err := makeFolder(dir); err != nil {
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

// makeFolder makes a folder, and its name durable; one that is there stays.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
		if err := makeFolder(filepath.Dir(dir)); err != nil {
			return err
		}
		return makeFolder(dir)
	case err != nil:
		return err
	}
	return syncFolder(filepath.Dir(dir))
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
func (s *Store) Blob(ctx context.Context, digest string) (io.ReadCloser, error) {
	if !isDigest(digest) {
		return nil, notFound("blob %s", digest)
	}
	r, err := s.bucket.get(ctx, digest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("blob %s", digest)
	}
	if err != nil {
		return nil, fault("read blob", digest, err)
	}
	return &checked{ReadCloser: r, hash: sha256.New(), digest: digest}, nil
}

// checked ends with an error when what it read is not what its digest says.
type checked struct {
	io.ReadCloser
	hash   hash.Hash
	digest string
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.hash.Write(p[:n])                                                                //nolint:errcheck // a hash never fails
	if err == io.EOF && sha256Prefix+hex.EncodeToString(c.hash.Sum(nil)) != c.digest { //nolint:errorlint // readers return it bare
		err = fault("read blob", c.digest, rows.ErrDamaged)
	}
	return n, err
}

func (b folder) get(_ context.Context, digest string) (io.ReadCloser, error) {
	file, err := b.file(digest)
	if err != nil {
		return nil, err
	}
	return os.Open(file)
}
