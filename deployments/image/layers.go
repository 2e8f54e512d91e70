package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// base holds what a program expects of a machine: its user, a folder for
// temporary files, its home, and the authorities that TLS trusts.
func (s spec) base() (v1.Layer, error) {
	return s.layer([]entry{
		{path: "etc/", mode: 0o755},
		{path: "etc/passwd", mode: 0o644, body: []byte("root:x:0:0:root:/:/none\nvendemmia:x:65532:65532:vendemmia:" + home + ":/none\n")},
		{path: "etc/group", mode: 0o644, body: []byte("root:x:0:\nvendemmia:x:65532:\n")},
		{path: "etc/ssl/", mode: 0o755},
		{path: "etc/ssl/certs/", mode: 0o755},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, body: authorities()},
		{path: "tmp/", mode: 0o1777},
		{path: "usr/", mode: 0o755},
		{path: "usr/bin/", mode: 0o755},
		{path: "var/", mode: 0o755},
		{path: "var/lib/", mode: 0o755},
		{path: home[1:] + "/", mode: 0o700, owner: user},
	})
}

// binary holds the program.
func (s spec) binary() (v1.Layer, error) {
	body, err := s.read()
	if err != nil {
		return nil, err
	}
	return s.layer([]entry{{path: program[1:], mode: 0o755, body: body}})
}

// authorities are Mozilla's, as pinned by go.sum, one PEM block each. Those that
// Mozilla trusts with a condition are left out: a file cannot express one.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return out.Bytes()
}

// entry is one file, or a folder where path ends with a slash.
type entry struct {
	path  string
	mode  int64
	owner int
	body  []byte
}

func (s spec) layer(entries []entry) (v1.Layer, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		header := &tar.Header{Name: e.path, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.body)), ModTime: s.time, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.body); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil })
}
