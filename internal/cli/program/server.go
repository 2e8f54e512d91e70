package program

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
)

// sameServer refuses a server that the campaigns of the store were not applied
// to: all that it could say of them is wrong. What cannot be told apart passes.
func (p *Program) sameServer(ctx context.Context, e Engine) error {
	if p.OpenedStore == nil || p.Moving {
		return nil
	}
	was, err := p.OpenedStore.Server(ctx)
	if err != nil || was.ID == "" {
		return err
	}
	id, err := e.NamespaceID(ctx)
	if err != nil || id == "" || id == was.ID {
		return nil // a server that does not answer says so when it is asked for more
	}
	this, other := e.Target().String(), "another server; name that one with --temporal-address, or"
	if e.Target() == (engine.Target{Address: was.Address, Namespace: was.Namespace}) {
		this, other = "a new one there", "its campaigns are gone;"
	}
	return fmt.Errorf("%s was applied to namespace %s @ %s, and this is %s: %s move the campaigns here: starter campaigns apply --move",
		p.StoreName(p.OpenedStore), was.Namespace, was.Address, this, other)
}

// Remember keeps which server the campaigns were applied to.
func (p *Program) Remember(ctx context.Context) error {
	e, err := p.Engine(ctx)
	if err != nil {
		return err
	}
	id, err := e.NamespaceID(ctx)
	if err != nil {
		return nil // whoever may not ask for it has no check later
	}
	t := e.Target()
	return p.OpenedStore.SetServer(ctx, rows.Server{Address: t.Address, Namespace: t.Namespace, ID: id})
}
