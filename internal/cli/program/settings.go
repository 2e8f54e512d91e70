package program

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows"
)

// flagSettings are the settings that starter takes as flags; `starter config`
// tells all.
func flagSettings() []string {
	return []string{"store", "instance", "temporal-address", "temporal-namespace", "temporal-profile", "temporal-config-file"}
}

// Settings reads the process settings, once.
func (p *Program) Settings() (config.Settings, error) {
	if p.conf != nil {
		return *p.conf, nil
	}
	flags := map[string]string{}
	for _, name := range flagSettings() {
		if v, ok := p.given(name); ok {
			flags[name] = v
		}
	}
	s, err := config.Load(config.Input{Flags: flags, Getenv: p.Env.Getenv, ConfigFile: p.flags.configFile, Dir: p.Env.Dir})
	if err != nil {
		return s, err
	}
	p.conf = &s
	return s, nil
}

// UseNamespace outranks all settings of the namespace.
func (p *Program) UseNamespace(name string) error {
	c, err := p.Settings()
	c.TemporalNamespace = name
	p.conf = &c
	return err
}

func (p *Program) realStore(ctx context.Context, create bool) (Store, error) {
	c, err := p.Settings()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, c.Store, store.Options{Create: create || c.Create, Migrate: store.MigrateMode(c.Migrate), Connections: c.StoreConnections})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *Program) realEngine(ctx context.Context) (Engine, error) {
	w, err := p.where()
	if err != nil {
		return nil, err
	}
	o, err := engine.Options(w, engine.Environment{Getenv: p.Env.Getenv, Environ: p.Env.Environ})
	if err != nil {
		return nil, err
	}
	c, err := engine.Dial(ctx, o, p.Instance())
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (p *Program) where() (engine.Where, error) {
	c, err := p.Settings()
	identity := c.Identity
	if identity == "" {
		identity = "starter@" + p.Who()
	}
	w := engine.Where{
		Address: c.TemporalAddress, Namespace: c.TemporalNamespace, Profile: c.TemporalProfile, ConfigFile: c.TemporalConfig, APIKeyFile: c.TemporalKeyFile, Identity: identity, Keys: p.Secrets(c).Keys(c.PayloadKeys),
	}
	if at := p.DevServer(c); at != "" {
		w.Address, w.Alone = at, true
	}
	return w, err
}

// Secrets resolves references in this process as a worker with the same settings does.
func (p *Program) Secrets(s config.Settings) secrets.Resolver {
	r := secrets.Resolver{Getenv: p.Env.Getenv, Env: s.SecretEnv, Dirs: slices.Clone(s.SecretDirs)}
	for i, dir := range r.Dirs {
		r.Dirs[i] = p.Path(dir)
	}
	return r
}

// DevServer is where `starter dev` runs over the folder of the store, unless
// somebody names a server or a profile.
func (p *Program) DevServer(c config.Settings) string {
	named := cmp.Or(c.TemporalAddress, c.TemporalProfile, c.TemporalConfig, p.Env.Getenv("TEMPORAL_ADDRESS"), p.Env.Getenv("TEMPORAL_PROFILE"))
	if named != "" || strings.Contains(c.Store, "://") {
		return ""
	}
	return dev.AddressIn(filepath.Dir(strings.TrimPrefix(c.Store, "sqlite:")))
}

// Target says which Temporal would be spoken to, without speaking to it.
func (p *Program) Target() (engine.Target, error) {
	if p.DialledEngine != nil {
		return p.DialledEngine.Target(), nil
	}
	w, err := p.where()
	if err != nil {
		return engine.Target{}, err
	}
	o, err := engine.Options(w, engine.Environment{Getenv: p.Env.Getenv, Environ: p.Env.Environ})
	return engine.TargetOf(o), err
}

// Instance is what tells this installation from others in its namespace; the
// store's id is in it once the store is open.
func (p *Program) Instance() workflows.Instance {
	c, err := p.Settings()
	if err != nil {
		return workflows.Instance{}
	}
	i := workflows.Instance{Name: c.Instance, Attributes: map[string]string{}}
	for _, a := range workflows.Attributes() {
		if name := c.Name(a.Name); name != "" {
			i.Attributes[a.Name] = name
		}
	}
	if p.OpenedStore != nil {
		i.Store = p.OpenedStore.ID()
	}
	return i
}

// Queue is a task queue's name on the server.
func (p *Program) Queue(name string) string { return p.Instance().Queue(name) }

// Local is a workflow id without the instance's prefix.
func (p *Program) Local(workflowID string) string {
	return strings.TrimPrefix(workflowID, p.Instance().WorkflowID(""))
}

// WebUIBase is where the Web UI is: the development server's is a thousand ports
// above it. Of another server it is not known.
func (p *Program) WebUIBase(t engine.Target) string {
	_, port, err := net.SplitHostPort(t.Address)
	n, convErr := strconv.Atoi(port)
	if err != nil || convErr != nil || !t.Loopback() {
		return ""
	}
	return "http://localhost:" + strconv.Itoa(n+1000)
}

// StoreName returns "store sqlite .vendemmia/demo.db #7f3a" or "store law on
// db.example.org, schema team_a (postgres) #7f3a".
func (p *Program) StoreName(s Store) string {
	return "store " + p.StoreTitle(s.Address()) + " #" + s.ID()[:min(4, len(s.ID()))]
}

// StoreTitle is what people call the store at an address: never a password.
func (p *Program) StoreTitle(address string) string {
	kind, path, ok := strings.Cut(address, ":")
	switch {
	case !ok:
		return p.Relative(address)
	case !strings.HasPrefix(kind, "postgres"):
		return kind + " " + p.Relative(path)
	}
	u, err := url.Parse(address)
	if err != nil {
		return "(postgres)"
	}
	return strings.TrimSpace(databaseTitle(u) + " (postgres)")
}

// databaseTitle returns the database, its host and its schema, as far as an address
// names them.
func databaseTitle(u *url.URL) string {
	title, host := strings.Trim(u.Path, "/"), cmp.Or(u.Host, u.Query().Get("host"))
	switch {
	case title == "":
		title = host
	case host != "":
		title += " on " + host
	}
	if schema := schemaOf(u.Query()); schema != "" {
		title += ", schema " + schema
	}
	return title
}

// schemaOf is the first schema of the search path that an address sets, by itself
// or among the options of the session.
func schemaOf(query url.Values) string {
	path := query.Get("search_path")
	if path == "" {
		_, path, _ = strings.Cut(query.Get("options"), "search_path=")
		path, _, _ = strings.Cut(path, " ")
	}
	first, _, _ := strings.Cut(path, ",")
	return strings.TrimSpace(first)
}

// StoreIsHere: is the store a file, or on a server of this machine?
func StoreIsHere(address string) bool {
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

// Relative makes a path below the working folder relative to it, also behind
// "sqlite:".
func (p *Program) Relative(path string) string {
	if rest, ok := strings.CutPrefix(path, "sqlite:"); ok {
		return "sqlite:" + p.Relative(rest)
	}
	if p.Env.Dir == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(p.Env.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
