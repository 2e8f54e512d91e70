package config_test

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/config"
)

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := config.Load(config.Input{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, "sqlite:"+filepath.Join(dir, ".vendemmia", "vendemmia.db"), s.Store)
	require.Equal(t, []string{"vendemmia-fetch"}, s.Queues)
	require.Equal(t, 20, s.ItemSlots)
	require.Equal(t, 30*time.Second, s.Drain)
	require.Equal(t, int64(16<<20), s.MaxBody)
	require.Equal(t, "auto", s.Migrate)
	require.Equal(t, 4, s.StoreConnections)
	require.False(t, s.Create)
	for _, v := range s.Values() {
		require.Equal(t, "default", v.Origin, v.Name)
		require.NotEmpty(t, v.Help, v.Name)
	}
}

func TestWithoutControl(t *testing.T) {
	t.Parallel()
	s, err := config.Load(config.Input{Dir: t.TempDir()})
	require.NoError(t, err)
	require.True(t, s.Control)
	s, err = config.Load(config.Input{Dir: t.TempDir(), Flags: map[string]string{"control": "false"}})
	require.NoError(t, err)
	require.False(t, s.Control)
	_, err = config.Load(config.Input{Dir: t.TempDir(), Flags: map[string]string{"control": "false", "queues": "library,vendemmia-control"}})
	require.ErrorContains(t, err, "control is false, and queues names vendemmia-control")
}

func TestFlagOverEnvironmentOverFileOverDefault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "vendemmia.yaml", "item-slots: 5\ndrain: 10s\nheartbeat: 4s\n")
	s, err := config.Load(config.Input{
		Dir: dir, ConfigFile: "vendemmia.yaml", Flags: map[string]string{"item-slots": "7"},
		Getenv: env(map[string]string{"VENDEMMIA_ITEM_SLOTS": "6", "VENDEMMIA_DRAIN": "20s"}),
	})
	require.NoError(t, err)
	require.Equal(t, 7, s.ItemSlots)
	require.Equal(t, "--item-slots", s.Origin("item-slots"))
	require.Equal(t, 20*time.Second, s.Drain)
	require.Equal(t, "VENDEMMIA_DRAIN", s.Origin("drain"))
	require.Equal(t, 4*time.Second, s.Heartbeat)
	require.Equal(t, path+":3", s.Origin("heartbeat"))
	require.Equal(t, "default", s.Origin("queues"))
}

func TestFileHoldsListsAndMaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "etc/settings.yaml", `# the library's worker
store: sqlite:data/library.db
queues: [library, "vendemmia-fetch"]
allow-network:
  - 10.3.0.0/16
  - ::1
search-attributes: { Campaign: LibraryCampaign, Tags: }
create: true
`)
	s, err := config.Load(config.Input{Dir: dir, Getenv: env(map[string]string{config.ConfigFileEnv: "etc/settings.yaml"})})
	require.NoError(t, err)
	require.Equal(t, []string{"library", "vendemmia-fetch"}, s.Queues)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.3.0.0/16"), netip.MustParsePrefix("::1/128")}, s.AllowNetwork)
	require.Equal(t, "LibraryCampaign", s.Name("Campaign"))
	require.Empty(t, s.Name("Tags"), "mapped to nothing: not used")
	require.Equal(t, "Trigger", s.Name("Trigger"))
	require.True(t, s.Create)
	require.Equal(t, "sqlite:"+filepath.Join(dir, "etc/data/library.db"), s.Store, "relative to the file that says it")
}

func TestEverythingWrongIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.yaml", "item-slot: 3\ndrain: [1s]\nqueues: {a: b}\nlog-level: loud\n")
	_, err := config.Load(config.Input{
		Dir: dir, ConfigFile: path, Flags: map[string]string{"stroe": "x", "heartbeat": "1"},
		Getenv: env(map[string]string{"VENDEMMIA_ALLOW_NETWORK": "10.0.0.0/99", "VENDEMMIA_INSTANCE": "Groß"}),
	})
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	for _, want := range []string{
		path + ":1: item-slot: no such setting; did you mean item-slots?",
		path + ":2: drain: one value, not a list",
		path + ":3: queues: one value, not a map",
		`log-level "loud" (` + path + ":4): one of debug, info, warn, error",
		"--stroe: no such setting; did you mean store?",
		`heartbeat "1" (--heartbeat): write a duration`,
		`allow-network "10.0.0.0/99" (VENDEMMIA_ALLOW_NETWORK): "10.0.0.0/99" is not a network`,
		`instance "Groß" (VENDEMMIA_INSTANCE): small letters`,
	} {
		require.ErrorContains(t, err, want)
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"list.yaml": "- a\n", "torn.yaml": "store: [a\n", "twice.yaml": "drain: 1s\ndrain: 2s\n", "deep.yaml": "queues: [[a]]\n"} {
		_, err := config.Load(config.Input{Dir: dir, ConfigFile: write(t, dir, name, text)})
		require.ErrorContains(t, err, name, text)
	}
	_, err := config.Load(config.Input{Dir: dir, ConfigFile: "absent.yaml"})
	require.ErrorContains(t, err, "absent.yaml")
	_, err = config.Load(config.Input{Dir: dir, ConfigFile: write(t, dir, "empty.yaml", "# nothing yet\n")})
	require.NoError(t, err)
}

func TestStoreIsLookedForUpwards(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	load := func(flag string) string {
		in := config.Input{Dir: deep}
		if flag != "" {
			in.Flags = map[string]string{"store": flag}
		}
		s, err := config.Load(in)
		require.NoError(t, err)
		return s.Store
	}
	require.Equal(t, "sqlite:"+filepath.Join(deep, ".vendemmia/vendemmia.db"), load(""), "nothing above: here")
	require.NoError(t, os.Mkdir(filepath.Join(top, ".vendemmia"), 0o755))
	require.Equal(t, "sqlite:"+filepath.Join(top, ".vendemmia/vendemmia.db"), load(""), "the folder is enough")
	write(t, top, "mine.db", "")
	require.Equal(t, filepath.Join(top, "mine.db"), load("mine.db"))
	require.Equal(t, "sqlite:/abs/x.db", load("sqlite:/abs/x.db"))
	require.Equal(t, "postgres://u@h/db", load("postgres://u@h/db"))
}

func TestPasswordIsNeverShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for address, want := range map[string]string{
		"postgres://law:s3cr3t@db.internal/law?sslmode=require":   "postgres://law:xxxxx@db.internal/law?sslmode=require",
		"postgresql://law@db.internal/law?password=s3cr3t":        "postgresql://law@db.internal/law?password=xxxxx",
		"postgres:///law?host=/run/postgresql&sslpassword=s3cr3t": "postgres:///law?host=%2Frun%2Fpostgresql&sslpassword=xxxxx",
		"postgres://law:s3cr3t%zz@db.internal/law":                "postgres://db.internal/law",
		"postgres://law@db.internal/law":                          "postgres://law@db.internal/law",
	} {
		write(t, dir, "s.yaml", "store: "+address+"\n")
		for _, in := range []config.Input{
			{Flags: map[string]string{"store": address}},
			{Getenv: env(map[string]string{"VENDEMMIA_STORE": address})},
			{ConfigFile: "s.yaml"},
		} {
			in.Dir = dir
			s, err := config.Load(in)
			require.NoError(t, err)
			require.Equal(t, address, s.Store)
			shown, err := json.Marshal(s.Values())
			require.NoError(t, err)
			require.NotContains(t, string(shown), "s3cr3t")
			for _, v := range s.Values() {
				if v.Name == "store" {
					require.Equal(t, want, v.Value)
				}
			}
		}
	}
}

func TestEveryKnownSettingHasAVariableAndTakesItsDefault(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range config.All() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		require.True(t, strings.HasPrefix(k.Env(), "VENDEMMIA_") || k.Variable != "" && strings.HasPrefix(k.Env(), "TEMPORAL_"), k.Env())
		_, err := config.Load(config.Input{Dir: t.TempDir(), Flags: map[string]string{k.Name: k.Default}})
		require.NoError(t, err, k.Name)
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{"store: x", "queues: [a,b]", "search-attributes: {a: b}", "a: &x b\nc: *x", "- 1", "? a\n: b", "store: |\n  x\n"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "fuzz.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _ = config.Load(config.Input{Dir: dir, ConfigFile: path}) // must not panic
	})
}

// Half of a version would leave a worker without versioning, and nobody would notice.
func TestAVersionHasTwoSettings(t *testing.T) {
	t.Parallel()
	env := map[string]string{"TEMPORAL_DEPLOYMENT_NAME": "vendemmia"}
	load := func() (config.Settings, error) {
		return config.Load(config.Input{Dir: t.TempDir(), Getenv: func(name string) string { return env[name] }})
	}
	_, err := load()
	require.ErrorContains(t, err, "deployment-name and build-id: set both, or neither")
	env["TEMPORAL_WORKER_BUILD_ID"] = "0.4.0"
	s, err := load()
	require.NoError(t, err)
	require.Equal(t, []string{"vendemmia", "0.4.0"}, []string{s.Deployment, s.Build})
}
