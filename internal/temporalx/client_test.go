package temporalx_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// env is an environment of its own.
type env map[string]string

func (e env) LookupEnv(key string) (string, bool) {
	v, ok := e[key]
	return v, ok
}

func (e env) Environ() []string {
	var all []string
	for k, v := range e {
		all = append(all, k+"="+v)
	}
	return all
}

func TestClientOptions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "temporal.toml")
	require.NoError(t, os.WriteFile(file, []byte("[profile.default]\naddress = \"file:1\"\nnamespace = \"of-file\"\n[profile.law]\naddress = \"law:1\"\n"), 0o600))
	none := filepath.Join(t.TempDir(), "none.toml")
	set := env{"TEMPORAL_ADDRESS": "env:1", "TEMPORAL_NAMESPACE": "of-env", "TEMPORAL_API_KEY": "k", "TEMPORAL_TLS": "false"}
	for _, c := range []struct {
		name               string
		target             temporalx.Target
		address, namespace string
	}{
		{"nothing", temporalx.Target{ConfigFile: none, Env: env{}}, "localhost:7233", "default"},
		{"a file", temporalx.Target{ConfigFile: file, Env: env{}}, "file:1", "of-file"},
		{"a profile", temporalx.Target{ConfigFile: file, Profile: "law", Env: env{}}, "law:1", "default"},
		{"environment over file", temporalx.Target{ConfigFile: file, Env: set}, "env:1", "of-env"},
		{"flags over environment", temporalx.Target{ConfigFile: file, Env: set, Address: "flag:1", Namespace: "of-flag"}, "flag:1", "of-flag"},
		{"alone", temporalx.Target{ConfigFile: file, Env: set, Alone: true, Address: "127.0.0.1:1"}, "127.0.0.1:1", "default"},
	} {
		o, err := temporalx.ClientOptions(c.target)
		require.NoError(t, err, c.name)
		require.Equal(t, c.address, o.HostPort, c.name)
		require.Equal(t, c.namespace, o.Namespace, c.name)
	}
}

func TestAloneTakesNoCredentials(t *testing.T) {
	t.Parallel()
	o, err := temporalx.ClientOptions(temporalx.Target{Alone: true, Env: env{"TEMPORAL_API_KEY": "k", "TEMPORAL_TLS": "true"}})
	require.NoError(t, err)
	require.Nil(t, o.Credentials)
	require.Nil(t, o.ConnectionOptions.TLS)
}

func TestClientOptionsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := temporalx.ClientOptions(temporalx.Target{ConfigFile: filepath.Join(t.TempDir(), "none"), Profile: "law", Env: env{}})
	require.ErrorContains(t, err, "law")
	require.ErrorContains(t, err, "check TEMPORAL_* and temporal.toml")
}

func TestDialNamesTheTarget(t *testing.T) {
	t.Parallel()
	_, err := temporalx.Dial(t.Context(), temporalx.Target{Alone: true, Address: "127.0.0.1:1", Namespace: "law"})
	require.ErrorContains(t, err, "connect to Temporal at 127.0.0.1:1, namespace law")
}

func TestWorkerOptions(t *testing.T) {
	t.Parallel()
	o := temporalx.WorkerOptions(temporalx.WorkerSettings{Identity: "w", Slots: 20, Drain: 30 * time.Second})
	require.Equal(t, 30*time.Second, o.WorkerStopTimeout)
	require.Equal(t, 5*time.Second, o.MaxHeartbeatThrottleInterval)
	short := temporalx.WorkerOptions(temporalx.WorkerSettings{Heartbeat: 6 * time.Second})
	require.Equal(t, 2*time.Second, short.MaxHeartbeatThrottleInterval, "two of three may be late")
	require.Equal(t, 20, o.MaxConcurrentActivityExecutionSize)
	require.False(t, o.DeploymentOptions.UseVersioning)
	o = temporalx.WorkerOptions(temporalx.WorkerSettings{Deployment: "law", Build: "1.2.3"})
	require.True(t, o.DeploymentOptions.UseVersioning)
	require.Equal(t, "1.2.3", o.DeploymentOptions.Version.BuildID)
}
