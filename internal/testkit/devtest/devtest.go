// Package devtest gives tests the Temporal CLI, which holds the development server.
package devtest

import (
	"os"
	"testing"

	"github.com/vendemmia/vendemmia/internal/local/dev"
)

// CLI returns the path of the Temporal CLI. Without it the test is skipped, and
// fails where CI is set: make test builds it.
func CLI(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cli, err := dev.FindCLI(dir, os.Getenv)
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cli
}
