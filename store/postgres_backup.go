package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

func (p *postgres) copyKind() string { return ".dump" }

// copyTo writes pg_dump's custom format. The password goes through the
// environment, where other users do not see it.
func (p *postgres) copyTo(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "pg_dump", "--format=custom", "--no-password", "--file", path, "--dbname", p.shown)
	cmd.Env = os.Environ()
	if p.config.Password != "" {
		cmd.Env = append(cmd.Env, "PGPASSWORD="+p.config.Password)
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return &harvest.Error{
			Kind: harvest.KindMisconfigured, Op: "back up", On: p.shown, Err: err,
			Advice: "install PostgreSQL's client programs, of the server's version or newer",
		}
	}
	if err != nil {
		return fmt.Errorf("pg_dump: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
