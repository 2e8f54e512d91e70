package dev

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAHouseLeavesItsAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &House{o: HouseOptions{Dir: dir}, Server: &Server{Address: "127.0.0.1:7999"}}
	require.Empty(t, AddressIn(dir))
	require.NoError(t, h.leaveAddress())
	require.Equal(t, "127.0.0.1:7999", AddressIn(dir))

	other := &House{o: HouseOptions{Dir: dir}, Server: &Server{Address: "127.0.0.1:8111"}}
	require.NoError(t, other.leaveAddress())
	h.takeAddress()
	require.Equal(t, "127.0.0.1:8111", AddressIn(dir), "of a house that still runs")
	other.takeAddress()
	require.Empty(t, AddressIn(dir))
	require.NoDirExists(t, dir+"/"+AddressFile)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}
