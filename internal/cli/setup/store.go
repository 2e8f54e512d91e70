package setup

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/store"
)

// storeView is the store and how its schema stands.
type storeView struct {
	Store string `json:"store"`
	// Schema is the version it has now; From the one it had before, 0 for a store
	// that was just made.
	Schema int64  `json:"schema"`
	From   *int64 `json:"from,omitempty"`
	State  string `json:"state"`
}

// migrate brings the schema up to date, as a job before workers that must not.
func (c *setup) migrate(ctx context.Context) error {
	conf, err := c.Settings()
	if err != nil {
		return err
	}
	c.Announce("target   store " + c.StoreTitle(conf.Store))
	if !program.StoreIsHere(conf.Store) {
		if err := c.Confirm("bring the store's schema up to date"); err != nil {
			return err
		}
	}
	v := storeView{State: "already up to date"}
	s, err := store.Open(ctx, conf.Store, store.Options{
		Migrate: store.MigrateAlways, Create: c.create || conf.Create, Connections: conf.StoreConnections, Log: slog.New(slog.NewTextHandler(c.Env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Migrated: func(from, _ int64) { v.From = &from },
	})
	if err != nil {
		return err
	}
	c.OpenedStore, c.Closer = s, append(c.Closer, func() { s.Close() }) // nothing is written any more
	if v.Store, v.Schema, err = c.schema(ctx, s); err != nil {
		return err
	}
	c.tellSchema(v)
	return nil
}

func (c *setup) schema(ctx context.Context, s program.Store) (name string, version int64, err error) {
	version, err = s.Schema(ctx)
	return c.StoreName(s), version, err
}

func (c *setup) tellSchema(v storeView) {
	text := fmt.Sprintf("already at version %d", v.Schema)
	switch {
	case v.From == nil:
	case *v.From == 0:
		v.State, text = "made", fmt.Sprintf("made, with schema version %d", v.Schema)
	default:
		v.State, text = "migrated", fmt.Sprintf("schema brought from version %d to %d", *v.From, v.Schema)
	}
	c.Out.Value(v)
	c.Out.Printf("%s: %s\n", v.Store, text)
}

// look opens the store as it is.
func (c *setup) look(ctx context.Context) (v storeView, err error) {
	conf, err := c.Settings()
	if err != nil {
		return v, err
	}
	s, err := store.Open(ctx, conf.Store, store.Options{Migrate: store.MigrateNever, Connections: 1})
	if err != nil {
		return storeView{Store: "store " + c.StoreTitle(conf.Store), State: err.Error()}, err
	}
	c.Closer = append(c.Closer, func() { s.Close() }) // nothing was written
	v.State = "as this program wants it"
	v.Store, v.Schema, err = c.schema(ctx, s)
	return v, err
}
