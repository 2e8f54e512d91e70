package program

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/terminal"
)

// Program is one invocation: its streams, its flags, and the two things that are
// opened when somebody asks.
type Program struct {
	Env   Env
	flags flags
	Out   *print.Printer // set before a command runs
	Clock print.Clock
	// Pace is how often something that is waited for is looked at.
	Pace time.Duration
	// Patience is how long a run may stand still before workers are looked for.
	Patience time.Duration
	// Again is how often they are looked for from then on.
	Again time.Duration

	// given returns a setting's flag; false: it was not given.
	given func(name string) (string, bool)
	conf  *config.Settings // nil: not read yet

	// Interactive reports whether a person can be asked.
	Interactive func() bool
	// Screen reports whether progress may be redrawn.
	Screen func() bool
	// openStore and dial are called at most once each.
	openStore func(context.Context, bool) (Store, error)
	Dial      func(context.Context) (Engine, error)

	// Moving: the campaigns are about to be applied to another server.
	Moving bool
	// Sure: ask before anything is changed, also on this machine.
	Sure bool

	// OpenedStore and DialledEngine are nil until Store and Engine were called.
	OpenedStore   Store
	DialledEngine Engine
	Closer        []func()
}

// flags are those of every command.
type flags struct {
	output     string
	configFile string
	yes        bool
}

// New makes a program over env; what env leaves out is the machine's.
func New(env Env) *Program {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Zone == nil {
		env.Zone = time.Local
	}
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	env.Stdout, env.Stderr = terminal.Onto(env.Stdout), terminal.Onto(env.Stderr)
	p := &Program{Env: env, Clock: print.Clock{Now: env.Now, Zone: env.Zone}, Pace: 250 * time.Millisecond, Patience: 3 * time.Second, Again: 5 * time.Second}
	p.Interactive = func() bool { return terminal.Is(env.Stdin) }
	p.Screen = func() bool { return terminal.Is(env.Stderr) }
	p.openStore, p.Dial = p.realStore, p.realEngine
	return p
}

// Prepare reads what all commands share.
func (p *Program) Prepare() error {
	f, err := print.ParseFormat(p.flags.output)
	if err != nil {
		return Usage("%w", err)
	}
	p.Out = print.New(p.Env.Stdout, f)
	p.Out.Terminal(p.columns(), terminal.Is(p.Env.Stdout) && p.Env.Getenv("NO_COLOR") == "" && p.Env.Getenv("TERM") != "dumb")
	if _, err := p.Settings(); err != nil {
		return Usage("%w", err)
	}
	return nil
}

// narrowest is a terminal that tables still fit.
const narrowest = 40

// columns is how wide tables may be: as the terminal, as COLUMNS says, else 80.
func (p *Program) columns() int {
	if n, err := strconv.Atoi(p.Env.Getenv("COLUMNS")); err == nil && n >= narrowest {
		return n
	}
	if n := terminal.Size(p.Env.Stdout); n >= narrowest {
		return n
	}
	return print.Width
}

// Store opens the store of the settings; an absent one is an error, never an
// empty world.
func (p *Program) Store(ctx context.Context) (Store, error) { return p.StoreOr(ctx, false) }

// StoreOr is Store, and creates one that does not exist when create is set.
func (p *Program) StoreOr(ctx context.Context, create bool) (Store, error) {
	if p.OpenedStore != nil {
		return p.OpenedStore, nil
	}
	s, err := p.openStore(ctx, create)
	if err != nil {
		return nil, err
	}
	p.OpenedStore = s
	p.Closer = append(p.Closer, func() { s.Close() }) // read to the end, nothing is lost
	return s, nil
}

// Engine connects to Temporal.
func (p *Program) Engine(ctx context.Context) (Engine, error) {
	if p.DialledEngine != nil {
		return p.DialledEngine, nil
	}
	e, err := p.Dial(ctx)
	if err != nil {
		return nil, err
	}
	p.Closer = append(p.Closer, e.Close)
	if err := p.sameServer(ctx, e); err != nil {
		return nil, err
	}
	p.DialledEngine = e
	return e, nil
}

func (p *Program) Close() {
	for _, w := range []any{p.Env.Stdout, p.Env.Stderr} {
		if s, ok := w.(*terminal.Screen); ok {
			_ = s.Flush() // the program ends
		}
	}
	for _, c := range p.Closer {
		c()
	}
}

// Say writes a line for people that is no result: to standard error.
func (p *Program) Say(format string, args ...any) {
	fmt.Fprintf(p.Env.Stderr, format+"\n", args...)
}

// Who names the person, for what is recorded.
func (p *Program) Who() string {
	for _, name := range []string{"VENDEMMIA_BY", "SUDO_USER", "USER", "LOGNAME"} {
		if v := p.Env.Getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
