package main

import (
	"debug/elf"
	"fmt"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const (
	user    = 65532
	home    = "/var/lib/vendemmia"
	program = "/usr/bin/vendemmia"
)

// spec is what an image is made of.
type spec struct {
	program, arch, version string
	time                   time.Time
}

// image has two layers: the files that every version shares, and the program.
func (s spec) image() (v1.Image, error) {
	base, err := s.base()
	if err != nil {
		return nil, err
	}
	binary, err := s.binary()
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(empty.Image,
		mutate.Addendum{Layer: base, History: s.history("user, folders and authorities of Mozilla")},
		mutate.Addendum{Layer: binary, History: s.history(program)})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, s.config(image))
}

func (s spec) history(what string) v1.History {
	return v1.History{Created: v1.Time{Time: s.time}, CreatedBy: what}
}

func (s spec) config(image v1.Image) *v1.ConfigFile {
	made, err := image.ConfigFile()
	if err != nil {
		panic(err) // it was made in memory
	}
	config := made.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", s.arch, v1.Time{Time: s.time}
	config.Config = v1.Config{
		User:       fmt.Sprintf("%d:%d", user, user),
		Entrypoint: []string{program},
		WorkingDir: home,
		Env:        []string{"PATH=/usr/bin", "HOME=" + home},
		StopSignal: "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":    "vendemmia",
			"org.opencontainers.image.version":  s.version,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return config
}

// write makes a file that docker load, podman load, ctr images import and crane push take.
func (s spec) write(path string, image v1.Image) error {
	tag, err := name.NewTag("vendemmia:" + s.version)
	if err != nil {
		return fmt.Errorf("version %q is no image tag: %w", s.version, err)
	}
	if err := tarball.WriteToFile(path, tag, image); err != nil {
		return fmt.Errorf("write image %s: %w", path, err)
	}
	return nil
}

// read returns the program, unless it needs a loader or libraries that the image lacks.
func (s spec) read() ([]byte, error) {
	file, err := elf.Open(s.program)
	if err != nil {
		return nil, fmt.Errorf("read program %s: %w", s.program, err)
	}
	defer file.Close()
	if file.Section(".interp") != nil {
		return nil, fmt.Errorf("program %s is linked dynamically and cannot run on an empty base: build it with CGO_ENABLED=0", s.program)
	}
	if want := machines[s.arch]; file.Machine != want {
		return nil, fmt.Errorf("program %s is for %s, the image for %s", s.program, file.Machine, s.arch)
	}
	return os.ReadFile(s.program)
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
