// Command manual writes the man pages of starter and worker, and the scripts that
// complete their commands, to a folder: packages and archives contain them.
//
//	manual -version 0.4.0 -time 1700000000 FOLDER
//
// Equal arguments give equal files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/worker"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func run() error {
	version := flag.String("version", "dev", "the version that the pages name")
	seconds := flag.Int64("time", 0, "the date of the pages, seconds since 1970")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("usage: manual [-version V] [-time SECONDS] FOLDER")
	}
	env := process.Env{Version: *version, Getenv: func(string) string { return "" }}
	starter := cli.Command(cli.Env{Env: env, Fetchers: fetchers.Builtin()})
	folder, date := flag.Arg(0), time.Unix(*seconds, 0).UTC()
	for _, write := range []func() error{
		func() error { return pages(folder, date, starter) },
		func() error { return pages(folder, date, worker.Command(env)) },
		func() error { return completion(filepath.Join(folder, "completion"), starter) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// pages writes a page per command: starter-runs-list.1.
func pages(folder string, date time.Time, root *cobra.Command) error {
	folder = filepath.Join(folder, "man")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "vendemmia " + root.Version, Manual: "Vendemmia", Date: &date}
	return doc.GenManTree(root, header, folder)
}

func completion(folder string, root *cobra.Command) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		root.Name() + ".bash": func(path string) error { return root.GenBashCompletionFileV2(path, true) },
		"_" + root.Name():     root.GenZshCompletionFile,
		root.Name() + ".fish": func(path string) error { return root.GenFishCompletionFile(path, true) },
	} {
		if err := write(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
