package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Memory{"80%": {Percent: 80}, "1GiB": {Bytes: 1 << 30}, "off": {}} {
		got, err := ParseMemory(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"0%", "5%", "101%", "x%", "80", "", "-1GiB"} {
		_, err := ParseMemory(text)
		require.Error(t, err, text)
	}
}
