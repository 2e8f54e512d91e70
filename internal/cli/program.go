package cli

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/config"
)

// program is one invocation: its streams, its flags, and the two things that are
// opened when somebody asks.
type program struct {
	env   Env
	flags flags
	out   *print.Printer // set before a command runs
	clock print.Clock
	// pace is how often something that is waited for is looked at.
	pace time.Duration
	// patience is how long a run may stand still before workers are looked for.
	patience time.Duration
	// again is how often they are looked for from then on.
	again time.Duration

	// given returns a setting's flag; false: it was not given.
	given func(name string) (string, bool)
	conf  *config.Settings // nil: not read yet

	// interactive reports whether a person can be asked.
	interactive func() bool
	// screen reports whether progress may be redrawn.
	screen func() bool
	// openStore and dial are called at most once each.
	openStore func(context.Context, bool) (Store, error)
	dial      func(context.Context) (Engine, error)

	// moving: the campaigns are about to be applied to another server.
	moving bool
	// sure: ask before anything is changed, also on this machine.
	sure bool

	store  Store
	engine Engine
	closer []func()
}

// flags are those of every command.
type flags struct {
	output     string
	configFile string
	yes        bool
}

func newProgram(env Env) *program {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Zone == nil {
		env.Zone = time.Local
	}
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	env.Stdout, env.Stderr = print.Onto(env.Stdout), print.Onto(env.Stderr)
	p := &program{env: env, clock: print.Clock{Now: env.Now, Zone: env.Zone}, pace: 250 * time.Millisecond, patience: 3 * time.Second, again: askAgain}
	p.interactive = func() bool { return print.Terminal(env.Stdin) }
	p.screen = func() bool { return print.Terminal(env.Stderr) }
	p.openStore, p.dial = p.realStore, p.realEngine
	return p
}

// prepare reads what all commands share.
func (p *program) prepare() error {
	f, err := print.ParseFormat(p.flags.output)
	if err != nil {
		return usage("%w", err)
	}
	p.out = print.New(p.env.Stdout, f)
	p.out.Terminal(p.columns(), print.Terminal(p.env.Stdout) && p.env.Getenv("NO_COLOR") == "" && p.env.Getenv("TERM") != "dumb")
	if _, err := p.settings(); err != nil {
		return usage("%w", err)
	}
	return nil
}

// narrowest is a terminal that tables still fit.
const narrowest = 40

// columns is how wide tables may be: as the terminal, as COLUMNS says, else 80.
func (p *program) columns() int {
	if n, err := strconv.Atoi(p.env.Getenv("COLUMNS")); err == nil && n >= narrowest {
		return n
	}
	if n := print.Size(p.env.Stdout); n >= narrowest {
		return n
	}
	return print.Width
}

// Store opens the store of the settings; an absent one is an error, never an
// empty world.
func (p *program) Store(ctx context.Context) (Store, error) { return p.storeOr(ctx, false) }

// storeOr is Store, and makes one where there is none when told to create.
func (p *program) storeOr(ctx context.Context, create bool) (Store, error) {
	if p.store != nil {
		return p.store, nil
	}
	s, err := p.openStore(ctx, create)
	if err != nil {
		return nil, err
	}
	p.store = s
	p.closer = append(p.closer, func() { s.Close() }) //nolint:errcheck // read to the end, nothing is lost
	return s, nil
}

// Engine connects to Temporal.
func (p *program) Engine(ctx context.Context) (Engine, error) {
	if p.engine != nil {
		return p.engine, nil
	}
	e, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	p.closer = append(p.closer, e.Close)
	if err := p.sameServer(ctx, e); err != nil {
		return nil, err
	}
	p.engine = e
	return e, nil
}

func (p *program) close() {
	for _, w := range []any{p.env.Stdout, p.env.Stderr} {
		if s, ok := w.(*print.Screen); ok {
			_ = s.Flush() // nobody is left to be told
		}
	}
	for _, c := range p.closer {
		c()
	}
}

// say writes a line for people that is no result: to standard error.
func (p *program) say(format string, args ...any) {
	fmt.Fprintf(p.env.Stderr, format+"\n", args...)
}

// who names the person, for what is recorded.
func (p *program) who() string {
	for _, name := range []string{"VENDEMMIA_BY", "SUDO_USER", "USER", "LOGNAME"} {
		if v := p.env.Getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
