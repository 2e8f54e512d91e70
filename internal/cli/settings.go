package cli

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/dev"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
)

// settings reads the process settings, once.
func (p *program) settings() (config.Settings, error) {
	if p.conf != nil {
		return *p.conf, nil
	}
	flags := map[string]string{}
	for _, name := range flagSettings() {
		if v, ok := p.given(name); ok {
			flags[name] = v
		}
	}
	s, err := config.Load(config.Input{Flags: flags, Getenv: p.env.Getenv, ConfigFile: p.flags.configFile, Dir: p.env.Dir})
	if err != nil {
		return s, err
	}
	p.conf = &s
	return s, nil
}

func (p *program) realStore(ctx context.Context, create bool) (Store, error) {
	c, err := p.settings()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, c.Store, store.Options{Create: create || c.Create, Migrate: store.MigrateMode(c.Migrate), Connections: c.StoreConnections})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *program) realEngine(ctx context.Context) (Engine, error) {
	w, err := p.where()
	if err != nil {
		return nil, err
	}
	o, err := engine.Options(w, engine.Environment{Getenv: p.env.Getenv, Environ: p.env.Environ})
	if err != nil {
		return nil, err
	}
	c, err := engine.Dial(ctx, o, p.instance())
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (p *program) where() (engine.Where, error) {
	c, err := p.settings()
	identity := c.Identity
	if identity == "" {
		identity = "starter@" + p.who()
	}
	w := engine.Where{
		Address: c.TemporalAddress, Namespace: c.TemporalNamespace, Profile: c.TemporalProfile, ConfigFile: c.TemporalConfig, Identity: identity,
	}
	if at := p.devServer(c); at != "" {
		w.Address, w.Alone = at, true
	}
	return w, err
}

// devServer is where `starter dev` runs over the folder of the store, unless
// somebody names a server or a profile.
func (p *program) devServer(c config.Settings) string {
	named := cmp.Or(c.TemporalAddress, c.TemporalProfile, c.TemporalConfig, p.env.Getenv("TEMPORAL_ADDRESS"), p.env.Getenv("TEMPORAL_PROFILE"))
	path, isFile := strings.CutPrefix(c.Store, "sqlite:")
	if named != "" || !isFile {
		return ""
	}
	return dev.AddressIn(filepath.Dir(path))
}

// target says which Temporal would be spoken to, without speaking to it.
func (p *program) target() (engine.Target, error) {
	if p.engine != nil {
		return p.engine.Target(), nil
	}
	w, err := p.where()
	if err != nil {
		return engine.Target{}, err
	}
	o, err := engine.Options(w, engine.Environment{Getenv: p.env.Getenv, Environ: p.env.Environ})
	return engine.TargetOf(o), err
}

// instance is what tells this installation from others in its namespace; the
// store's id is in it once the store is open.
func (p *program) instance() workflows.Instance {
	c, err := p.settings()
	if err != nil {
		return workflows.Instance{}
	}
	i := workflows.Instance{Name: c.Instance, Attributes: map[string]string{}}
	for _, a := range engine.Attributes() {
		if name := c.Name(a.Name); name != "" {
			i.Attributes[a.Name] = name
		}
	}
	if p.store != nil {
		i.Store = p.store.ID()
	}
	return i
}

// queue is a task queue's name on the server.
func (p *program) queue(name string) string { return p.instance().Queue(name) }

// local is a workflow id without the instance's prefix.
func (p *program) local(workflowID string) string {
	return strings.TrimPrefix(workflowID, p.instance().WorkflowID(""))
}

// webUIBase is where the Web UI is: the development server's is a thousand ports
// above it. Of another server it is not known.
func (p *program) webUIBase(t engine.Target) string {
	_, port, err := net.SplitHostPort(t.Address)
	n, convErr := strconv.Atoi(port)
	if err != nil || convErr != nil || !t.Loopback() {
		return ""
	}
	return "http://localhost:" + strconv.Itoa(n+1000)
}

// storeName returns "store sqlite .vendemmia/demo.db #7f3a" or "store law
// (postgres) #7f3a".
func (p *program) storeName(s storeNames) string {
	return "store " + p.storeTitle(s.Address()) + " #" + s.ID()[:min(4, len(s.ID()))]
}

// storeTitle is what people call the store at an address: never a password.
func (p *program) storeTitle(address string) string {
	kind, path, ok := strings.Cut(address, ":")
	switch {
	case !ok:
		return p.relative(address)
	case !strings.HasPrefix(kind, "postgres"):
		return kind + " " + p.relative(path)
	}
	u, err := url.Parse(address)
	if err != nil {
		return "(postgres)"
	}
	return strings.TrimSpace(cmp.Or(strings.Trim(u.Path, "/"), u.Hostname()) + " (postgres)")
}

// storeIsHere: is the store a file, or on a server of this machine?
func storeIsHere(address string) bool {
	if !strings.HasPrefix(address, "postgres") {
		return true
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := cmp.Or(u.Hostname(), u.Query().Get("host"))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasPrefix(host, "/") || err == nil && ip.IsLoopback()
}

// relative makes a path below the working folder relative to it, also behind
// "sqlite:".
func (p *program) relative(path string) string {
	if rest, ok := strings.CutPrefix(path, "sqlite:"); ok {
		return "sqlite:" + p.relative(rest)
	}
	if p.env.Dir == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(p.env.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
