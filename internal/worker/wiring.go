package worker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.temporal.io/sdk/client"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
)

// startTimeout bounds opening the store, a migration included; stopExtra is what
// stopping takes beyond the drain, of which leaveTimeout is for giving back the
// turns of hosts.
const (
	startTimeout = 10 * time.Minute
	stopExtra    = 10 * time.Second
	leaveTimeout = 5 * time.Second
)

// work runs a worker until ctx ends or it cannot go on.
func (p program) work(ctx context.Context, s config.Settings) (int, error) {
	newMemory(os.DirFS("/"), s.Memory).aim()
	app := fx.New(p.parts(ctx, s), fx.StartTimeout(startTimeout), fx.StopTimeout(s.Drain+stopExtra))
	if err := app.Err(); err != nil {
		if ctx.Err() != nil {
			return process.OK, nil // told to stop before it had begun
		}
		return process.Error, say(err)
	}
	starting, cancel := context.WithTimeout(ctx, app.StartTimeout())
	defer cancel()
	if err := app.Start(starting); err != nil {
		return process.Error, say(err)
	}
	code := process.OK
	select {
	case <-ctx.Done():
	case signal := <-app.Wait():
		code = signal.ExitCode
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), app.StopTimeout())
	defer cancel()
	if err := app.Stop(stopping); err != nil {
		return process.Error, fmt.Errorf("stop: %w", say(err))
	}
	return code, nil
}

// parts is the whole worker. Nothing in it looks at flags or the environment
// before it is started; ctx ends the waiting for a store that is away.
func (p program) parts(ctx context.Context, s config.Settings) fx.Option {
	log := p.newLog(s)
	newStore := func(life fx.Lifecycle) (*store.Store, error) { return newStore(ctx, life, s, log) }
	return fx.Options(
		fx.WithLogger(func() fxevent.Logger { return quiet{log} }),
		fx.Supply(s, p.fetchers.Programs(s.ExecDirs), log, p.Env, newMemory(os.DirFS("/"), s.Memory)),
		fx.Provide(
			newStore, p.newClient, p.newSecrets, newHosts, p.newPolite, newMetrics, newService, newHealth, newQueueMetrics,
		),
		fx.Invoke(func(*service, *health, *queueMetrics) {}),
	)
}

func (p program) newLog(s config.Settings) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // config has checked it
	o := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(p.Stderr, o))
}

// newStore opens the store; one that is not there is made only when the settings
// say so. A server that is away is waited for.
func newStore(ctx context.Context, life fx.Lifecycle, s config.Settings, log *slog.Logger) (*store.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	w := waiting{log: log, what: "the store"}
	for {
		opened, err := openStore(ctx, s, log)
		if err == nil {
			w.over(nil)
			life.Append(fx.StopHook(opened.Close))
			return opened, nil
		}
		if !store.Away(err) {
			return nil, err
		}
		w.say(err)
		if !pause(ctx, askEvery) {
			return nil, err
		}
	}
}

// openStore says when that takes long.
func openStore(ctx context.Context, s config.Settings, log *slog.Logger) (*store.Store, error) {
	slow := time.AfterFunc(sayEvery, func() {
		log.Warn("waits for the store: it is not open yet; another process may be bringing it up to date")
	})
	defer slow.Stop()
	return store.Open(ctx, s.Store, store.Options{
		Migrate: store.MigrateMode(s.Migrate), Create: s.Create, Connections: s.StoreConnections, Log: log,
	})
}

// newSecrets resolves what the settings give this worker, and nothing else of its
// environment and files.
func (p program) newSecrets(s config.Settings) secrets.Resolver {
	return secrets.Resolver{Getenv: p.Getenv, Env: s.SecretEnv, Dirs: s.SecretDirs}
}

// identity names the process in claims, histories and the list of workers; it
// says which store it has open.
type identity string

func identityOf(s config.Settings, storeID string) identity {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return identity(cmp.Or(s.Identity, fmt.Sprintf("%d@%s/%s", os.Getpid(), host, storeID)))
}

func (p program) target(s config.Settings, id identity, log *slog.Logger) temporalx.Target {
	return temporalx.Target{
		Address: s.TemporalAddress, Namespace: s.TemporalNamespace, Profile: s.TemporalProfile, ConfigFile: s.TemporalConfig,
		APIKeyFile: s.TemporalKeyFile, Keys: p.newSecrets(s).Keys(s.PayloadKeys), Identity: string(id), Log: log, Env: variables{p.Getenv, p.Environ},
	}
}

// variables is the program's environment as the SDK's settings read it.
type variables struct {
	getenv  func(string) string
	environ func() []string
}

func (v variables) LookupEnv(name string) (string, bool) {
	value := v.getenv(name)
	return value, value != ""
}

func (v variables) Environ() []string {
	if v.environ == nil {
		return nil
	}
	return v.environ()
}

// remote is the way to Temporal, and where that is.
type remote struct {
	client.Client
	address, namespace string
	identity           identity
	options            client.Options
	polls              *temporalx.Polls
}

// newClient connects to nothing yet.
func (p program) newClient(life fx.Lifecycle, s config.Settings, opened *store.Store, m *metrics, log *slog.Logger) (remote, error) {
	id := identityOf(s, opened.ID())
	o, err := temporalx.ClientOptions(p.target(s, id, log))
	if err != nil {
		return remote{}, err
	}
	o.MetricsHandler = sdkHandler{metrics: m.sdk}
	polls := &temporalx.Polls{}
	polls.Watch(&o)
	c, err := client.NewLazyClient(o)
	if err != nil {
		return remote{}, fmt.Errorf("prepare the connection to Temporal at %s: %w", o.HostPort, err)
	}
	life.Append(fx.StopHook(c.Close))
	return remote{Client: c, address: o.HostPort, namespace: o.Namespace, identity: id, options: o, polls: polls}, nil
}

// newPolite makes the client of all fetchers. When the worker ends, its hosts are
// free for others at once.
func (p program) newPolite(life fx.Lifecycle, s config.Settings, hosts *hosts, opened *store.Store, log *slog.Logger) *polite.Client {
	c := polite.New(polite.Settings{
		Product: cmp.Or(s.Product, "Vendemmia/"+p.Version), Allow: s.AllowNetwork, MaxBody: s.MaxBody, Rules: hosts.rule, Rest: hosts.rest,
		Slow: hosts.slow, Delay: hosts.delay, Reservations: newReservations(opened),
	})
	life.Append(fx.StopHook(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
		defer cancel()
		if err := c.Leave(ctx); err != nil {
			log.Warn("others wait for some hosts until a lease ends", "error", err)
		}
	}))
	return c
}

// quiet lets the container speak of errors only.
type quiet struct{ log *slog.Logger }

func (q quiet) LogEvent(e fxevent.Event) {
	switch e := e.(type) {
	case *fxevent.OnStartExecuted:
		q.failed("start", e.Err)
	case *fxevent.OnStopExecuted:
		q.failed("stop", e.Err)
	}
}

func (q quiet) failed(what string, err error) {
	if err != nil {
		q.log.Error("could not "+what, "error", err)
	}
}
