package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSettingsFileIsFoundUpwards: without a name the file is looked for as the
// store is; one that was named wins.
func TestSettingsFileIsFoundUpwards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	below := filepath.Join(dir, "campaigns", "more")
	require.NoError(t, os.MkdirAll(below, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, SettingsFile), []byte("store: sqlite:data/v.db\ncontact: marta@example.org\n"), 0o644))
	s, err := Load(Input{Dir: below})
	require.NoError(t, err)
	require.Equal(t, "sqlite:"+filepath.Join(dir, "data", "v.db"), s.Store)
	require.Equal(t, filepath.Join(dir, SettingsFile)+":2", s.Origin("contact"))

	other := filepath.Join(below, "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte("contact: ilse@example.org\n"), 0o644))
	s, err = Load(Input{Dir: below, ConfigFile: other})
	require.NoError(t, err)
	require.Equal(t, "ilse@example.org", s.Contact)
}
