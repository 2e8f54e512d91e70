package store

import (
	"bytes"
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
	"syscall"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// folder holds files named by their digest, in 256 folders by the first two
// digits. Files are written whole or not at all and never change. Without a root
// there are none.
type folder struct{ root string }

func newFolder(path, root string) folder {
	if root == "" {
		root = filepath.Join(filepath.Dir(path), "blobs")
	}
	return folder{root: root}
}

// isDigest reports whether text is a digest as blobs are named.
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

// youngAgain ends an INSERT into blobs: the cleaner leaves alone what is young.
const youngAgain = ` ON CONFLICT (digest) DO UPDATE SET created = excluded.created`

// putBlob stores a large body under its digest, in a transaction of its own or as
// a file. Storing the same bytes again makes them young again, so that the cleaner
// leaves them until the row that names them is there.
func (s *Store) putBlob(ctx context.Context, content []byte) (digest string, err error) {
	digest = harvest.Digest(content)
	return digest, fault("store blob", digest, s.engine.putBlob(ctx, digest, content))
}

// PackRaw compresses a page as it came, for the Write that brings the ledger line
// which names it. A page that stays large is stored at once instead: it would be
// held in memory until its item's page is committed, and the transaction that
// others share would wait for it. It is read back with Blob.
func (s *Store) PackRaw(ctx context.Context, content []byte) (p rows.RawPage, err error) {
	if packed := s.codec.pack(content); len(packed) <= blobFrom {
		return rows.RawPage{Digest: harvest.Digest(content), Packed: packed}, nil
	}
	p.Digest, err = s.putBlob(ctx, content)
	return p, err
}

func (b folder) put(digest string, content []byte) error {
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

// Blob opens a large body or a page as it came, or returns rows.ErrNotFound. The
// last Read fails with rows.ErrDamaged where the bytes are not those of the digest.
func (s *Store) Blob(ctx context.Context, digest string) (io.ReadCloser, error) {
	if !isDigest(digest) {
		return nil, notFound("blob %s", digest)
	}
	r, err := s.openBlob(ctx, digest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("blob %s", digest)
	}
	if err != nil {
		return nil, fault("read blob", digest, err)
	}
	return &checked{ReadCloser: r, hash: sha256.New(), digest: digest}, nil
}

// openBlob looks into the database, then into the folder.
func (s *Store) openBlob(ctx context.Context, digest string) (io.ReadCloser, error) {
	var packed bool
	content, found, err := first(s.reader(ctx), func(s scanner) (b []byte, err error) { return b, s.Scan(&packed, &b) }, `SELECT packed, content FROM blobs WHERE digest = ?`, digest)
	if err == nil && !found {
		return s.engine.folder().get(digest)
	}
	if err == nil && packed {
		if content, err = s.codec.unpack(content); err != nil {
			err = fmt.Errorf("%w: %w", rows.ErrDamaged, err)
		}
	}
	return io.NopCloser(bytes.NewReader(content)), err
}

// checked ends with an error when what it read is not what its digest says.
type checked struct {
	io.ReadCloser
	hash   hash.Hash
	digest string
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.hash.Write(p[:n])                                                                // a hash never fails
	if err == io.EOF && sha256Prefix+hex.EncodeToString(c.hash.Sum(nil)) != c.digest { // readers return it bare
		err = fault("read blob", c.digest, rows.ErrDamaged)
	}
	return n, err
}

func (b folder) get(digest string) (io.ReadCloser, error) {
	if b.root == "" {
		return nil, fs.ErrNotExist
	}
	file, err := b.file(digest)
	if err != nil {
		return nil, err
	}
	return openRegular(file)
}

// maxBlob is the largest file that is read: no worker takes in as much.
const maxBlob = 4 << 30

// openRegular opens a file that ends. Anything else is damage: it would wait for a
// writer, or fill the memory.
func openRegular(file string) (io.ReadCloser, error) {
	info, err := os.Stat(file) // before opening: a device may act on that
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxBlob) {
		err = fmt.Errorf("%w: %s is no file of a body: %s, %d bytes", rows.ErrDamaged, file, info.Mode(), info.Size())
	}
	if err != nil {
		return nil, err
	}
	return os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
