// Command image makes a container image of one static program on an empty base,
// and reads it back. It needs no container engine.
//
//	image build -program bin/vendemmia -arch amd64 -version 0.4.0 -time 1700000000 image.tar
//	image check image.tar        # validates it and prints digest, layers and settings
//	image tree image.tar | tar -x -C folder
//
// Equal arguments and an equal program give an equal digest.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const usage = "usage: image build -program FILE -arch ARCH -version V -time SECONDS IMAGE.tar | image check IMAGE.tar | image tree IMAGE.tar"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 1 && args[0] == "build":
		return build(args[1:])
	case len(args) == 2 && args[0] == "check":
		return check(args[1])
	case len(args) == 2 && args[0] == "tree":
		return tree(args[1])
	}
	return fmt.Errorf("%s", usage)
}

func build(args []string) error {
	var s spec
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.StringVar(&s.program, "program", "", "the static program")
	flags.StringVar(&s.arch, "arch", "amd64", "the architecture it was built for")
	flags.StringVar(&s.version, "version", "dev", "its version, the tag of the image")
	seconds := flags.Int64("time", 0, "the image's time, seconds since 1970")
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		return fmt.Errorf("%s", usage)
	}
	s.time = time.Unix(*seconds, 0).UTC()
	image, err := s.image()
	if err != nil {
		return err
	}
	return s.write(flags.Arg(0), image)
}

// check reads the whole image, compares every digest and prints what it is.
func check(path string) error {
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return fmt.Errorf("read image %s: %w", path, err)
	}
	if err := validate.Image(image); err != nil {
		return fmt.Errorf("image %s is damaged: %w", path, err)
	}
	return describe(path, image)
}

// tree writes the image's file tree to standard output, as a tar.
func tree(path string) error {
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return fmt.Errorf("read image %s: %w", path, err)
	}
	files := mutate.Extract(image)
	defer files.Close()
	_, err = io.Copy(os.Stdout, files)
	return err
}

func describe(path string, image v1.Image) error {
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("%s\n  digest  %s\n  runs    %v as %s in %s, %s/%s\n", path, digest,
		config.Config.Entrypoint, config.Config.User, config.Config.WorkingDir, config.OS, config.Architecture)
	return describeLayers(image, config.History)
}

func describeLayers(image v1.Image, history []v1.History) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for i, layer := range layers {
		size, err := layer.Size()
		if err != nil {
			return err
		}
		fmt.Printf("  layer   %.1f MB  %s\n", float64(size)/1e6, history[i].CreatedBy)
	}
	return nil
}
