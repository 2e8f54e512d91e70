package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// A host rests for as long as it asked to, by the clock of every worker: here the
// database's is two hours ahead of this process's.
func TestPostgresRestByAnotherClock(t *testing.T) {
	t.Parallel()
	_, address := newServed(t, Options{})
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	ask(t, address, fmt.Sprintf(`
		CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '2 hours' $$;
		ALTER DATABASE %s SET search_path = public, pg_catalog`, pgx.Identifier{config.Database}.Sanitize()))
	s, err := Open(t.Context(), address, Options{})
	require.NoError(t, err)
	defer s.Close()

	until := time.Now().Add(10 * time.Minute)
	require.NoError(t, s.RestHost(t.Context(), "example.org", until, "it asked"))
	var kept int64
	ask(t, address, `SELECT rest_until FROM public.host_states`, &kept)
	require.WithinDuration(t, until.Add(2*time.Hour), time.UnixMicro(kept), time.Minute, "kept by the database's clock")
	hosts, err := s.Hosts(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, until, hosts[0].RestUntil, time.Minute, "told by this process's")
	require.NoError(t, s.RestHost(t.Context(), "example.org", time.Time{}, ""))
	hosts, err = s.Hosts(t.Context())
	require.NoError(t, err)
	require.True(t, hosts[0].RestUntil.IsZero())
}
