package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binaries are built once for all tests of the package.
var binaries struct{ starter, worker string }

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vendemmia-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries.starter, binaries.worker = filepath.Join(dir, "starter"), filepath.Join(dir, "worker")
	// The tests wait for servers and heartbeats more than they work.
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		_ = n.Value.Set("4") // a number
	}
	code := 1
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func build() error {
	for path, pkg := range map[string]string{binaries.starter: "../../../cmd/starter", binaries.worker: "../../../cmd/worker"} {
		if out, err := exec.Command("go", "build", "-o", path, pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	return nil
}
