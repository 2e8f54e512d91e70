package freeport

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	t.Parallel()
	port, err := Find(t.Context())
	require.NoError(t, err)
	require.True(t, port >= lowest && port < above, port)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprint("127.0.0.1:", port))
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
