package program

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// Aim prints what is about to be touched and asks when it is not on this
// machine. What is both engine and store when withEngine is set.
func (p *Program) Aim(ctx context.Context, withEngine bool, question string) error {
	line, local, err := p.TargetLine(ctx, withEngine)
	if err != nil {
		return err
	}
	p.Announce("target   " + line)
	if local && !p.Sure {
		return nil
	}
	return p.Confirm(question)
}

// Announce writes a line where people read and programs do not stumble.
func (p *Program) Announce(line string) {
	if p.Out.People() {
		p.Out.Printf("%s\n", line)
		return
	}
	p.Say("%s", line)
}

func (p *Program) TargetLine(ctx context.Context, withEngine bool) (string, bool, error) {
	var parts []string
	local := true
	if withEngine {
		t, err := p.Target()
		if err != nil {
			return "", false, err
		}
		parts, local = append(parts, t.String()), t.Loopback()
	}
	s, err := p.Store(ctx)
	if err != nil {
		return "", false, err
	}
	parts = append(parts, p.StoreName(s))
	return print.Wrap(strings.Join(parts, " · "), 9, 9), local && StoreIsHere(s.Address()), nil
}

// Confirm asks a person; without one, or with a no, nothing happens.
func (p *Program) Confirm(question string) error {
	if p.flags.yes {
		return nil
	}
	if !p.Interactive() {
		return Usage("%s needs confirmation and there is no terminal; repeat with --yes", question)
	}
	fmt.Fprintf(p.Env.Stderr, "%s? [y/N] ", question)
	answer, err := bufio.NewReader(io.LimitReader(p.Env.Stdin, 1000)).ReadString('\n')
	if err != nil && answer == "" {
		return fmt.Errorf("%s: no answer: %w", question, err)
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return fmt.Errorf("%s: no; nothing was changed", question)
	}
	return nil
}
