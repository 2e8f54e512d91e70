package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
)

func (p *program) realStore(ctx context.Context, create bool) (Store, error) {
	s, err := store.Open(ctx, p.storeAddress(), store.Options{Create: create})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// instance is what tells this installation from others in its namespace.
func (p *program) instance() workflows.Instance {
	names := map[string]string{}
	for _, a := range engine.Attributes() {
		names[a.Name] = a.Name
	}
	return workflows.Instance{Name: p.flags.instance, Attributes: names}
}

// queue is a task queue's name on the server.
func (p *program) queue(name string) string { return p.instance().Queue(name) }

// local is a workflow id without the instance's prefix.
func (p *program) local(workflowID string) string {
	return strings.TrimPrefix(workflowID, p.instance().WorkflowID(""))
}

// webUIBase is where the Web UI is.
func (p *program) webUIBase(t engine.Target) string {
	return "http://localhost:8233"
}

func (p *program) storeAddress() string {
	for dir := p.env.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".vendemmia", "vendemmia.db")
		if _, err := os.Stat(path); err == nil || dir == filepath.Dir(dir) {
			return "sqlite:" + path
		}
	}
}
