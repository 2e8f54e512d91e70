package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What dev.StartServer types is understood, and a file is the same databases each
// time.
func TestUnderstoodAsTheCLI(t *testing.T) {
	t.Parallel()
	port, file, err := understood([]string{
		"--ip", "127.0.0.1", "--port", "7233", "--ui-port", "8233", "--log-level", "error", "--dynamic-config-value", "a=true",
		"--dynamic-config-value", "b=true", "--search-attribute", "Campaign=Keyword", "--db-filename", "/srv/t.db",
	})
	require.NoError(t, err)
	require.Equal(t, 7233, port)
	require.Equal(t, "/srv/t.db", file)
	require.Equal(t, databaseOf(file), databaseOf(file))
	require.NotEqual(t, databaseOf(file), databaseOf("/srv/u.db"))
	require.NotEqual(t, databaseOf(""), databaseOf(""))
}
