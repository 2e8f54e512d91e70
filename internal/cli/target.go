package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// aim prints what is about to be touched and asks when it is not on this
// machine. What is both engine and store when withEngine is set.
func (p *program) aim(ctx context.Context, withEngine bool, question string) error {
	line, local, err := p.targetLine(ctx, withEngine)
	if err != nil {
		return err
	}
	p.announce("target   " + line)
	if local && !p.sure {
		return nil
	}
	return p.confirm(question)
}

// announce writes a line where people read and programs do not stumble.
func (p *program) announce(line string) {
	if p.out.People() {
		p.out.Printf("%s\n", line)
		return
	}
	p.say("%s", line)
}

func (p *program) targetLine(ctx context.Context, withEngine bool) (string, bool, error) {
	var parts []string
	local := true
	if withEngine {
		t, err := p.target()
		if err != nil {
			return "", false, err
		}
		parts, local = append(parts, t.String()), t.Loopback()
	}
	s, err := p.Store(ctx)
	if err != nil {
		return "", false, err
	}
	parts = append(parts, p.storeName(s))
	return print.Wrap(strings.Join(parts, " · "), 9, 9), local && storeIsHere(s.Address()), nil
}

// confirm asks a person; without one, or with a no, nothing happens.
func (p *program) confirm(question string) error {
	if p.flags.yes {
		return nil
	}
	if !p.interactive() {
		return usage("%s needs a yes, and nobody is there to ask; repeat with --yes", question)
	}
	fmt.Fprintf(p.env.Stderr, "%s? [y/N] ", question)
	answer, err := bufio.NewReader(io.LimitReader(p.env.Stdin, 1000)).ReadString('\n')
	if err != nil && answer == "" {
		return fmt.Errorf("%s: no answer: %w", question, err)
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return fmt.Errorf("%s: no; nothing was changed", question)
	}
	return nil
}
