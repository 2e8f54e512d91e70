package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/freeport"
	"github.com/vendemmia/vendemmia/internal/testkit/certtest"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
)

// mutual is a production server that wants certificates of a throw-away authority,
// and our programs beside it.
type mutual struct {
	t      *testing.T
	dir    string
	bin    string
	port   int
	ca     *certtest.CA
	health string
}

// TestMutualTLS: a worker and the command line with certificates of the authority;
// without one, with one of another authority and with one that expired they are
// refused in words, and a worker whose certificate expires says so by /ready until a
// new one is in its place.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	m := newMutual(t)
	m.issue(m.ca, time.Now().Add(time.Hour))
	out, err := m.starter(m.tls()...)
	require.NoError(t, err, out)
	require.Contains(t, out, "the namespace answers")

	out, err = m.starter("TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + m.ca.File)
	require.Error(t, err, "without a certificate")
	require.Contains(t, out, "connect to Temporal at 127.0.0.1:"+strconv.Itoa(m.port))
	other, err := certtest.New(filepath.Join(m.dir, "other.pem"))
	require.NoError(t, err)
	m.issue(other, time.Now().Add(time.Hour))
	out, err = m.starter(m.tls()...)
	require.Error(t, err, "of another authority: %s", out)
	m.issue(m.ca, time.Now().Add(-time.Minute))
	out, err = m.starter(m.tls()...)
	require.Error(t, err, "expired: %s", out)

	m.issue(m.ca, time.Now().Add(time.Hour))
	m.worker()
	m.becomes(http.StatusOK, "ready")
	m.issue(m.ca, time.Now().Add(-time.Minute))
	m.becomes(http.StatusServiceUnavailable, "the client certificate for Temporal expired on")
	m.issue(m.ca, time.Now().Add(time.Hour))
	m.becomes(http.StatusOK, "ready")
}

func newMutual(t *testing.T) *mutual {
	t.Helper()
	if os.Getenv("VENDEMMIA_PRODUCTION") == "" {
		t.Skip("on the production server: make e2e-production")
	}
	top, err := filepath.Abs("../../..")
	require.NoError(t, err)
	m := &mutual{t: t, dir: t.TempDir(), bin: filepath.Join(top, "bin")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", m.dir, "./cmd/starter", "./cmd/worker")
	build.Dir = top
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	m.ca, err = certtest.New(filepath.Join(m.dir, "ca.pem"))
	require.NoError(t, err)
	m.serve()
	return m
}

// serve starts the server, with TLS between its own parts too.
func (m *mutual) serve() {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	m.t.Cleanup(cancel)
	cluster := pgtest.New(m.t, pgtest.Options{Settings: []string{"max_connections=300"}})
	on := machine{bin: m.bin, port: cluster.Port()}
	require.NoError(m.t, on.makeTemplate(ctx, cluster))
	pair, err := m.ca.Issue(m.dir, "server", time.Now().Add(time.Hour))
	require.NoError(m.t, err)
	m.port, err = freeport.Find(ctx)
	require.NoError(m.t, err)
	env, err := on.environment(ctx, template, m.port)
	require.NoError(m.t, err)
	server := exec.Command(filepath.Join(m.bin, "temporal-server"), "--allow-no-auth", "start")
	server.Env = append(env, "TEMPORAL_TLS_REQUIRE_CLIENT_AUTH=true",
		"TEMPORAL_TLS_SERVER_CERT="+pair.Cert, "TEMPORAL_TLS_SERVER_KEY="+pair.Key, "TEMPORAL_TLS_SERVER_CA_CERT="+m.ca.File,
		"TEMPORAL_TLS_FRONTEND_CERT="+pair.Cert, "TEMPORAL_TLS_FRONTEND_KEY="+pair.Key, "TEMPORAL_TLS_CLIENT1_CA_CERT="+m.ca.File,
		"TEMPORAL_TLS_INTERNODE_SERVER_NAME=server", "TEMPORAL_TLS_FRONTEND_SERVER_NAME=server")
	require.NoError(m.t, server.Start())
	m.t.Cleanup(func() {
		require.NoError(m.t, server.Process.Kill())
		_ = server.Wait() // killed
	})
	m.issue(m.ca, time.Now().Add(time.Hour))
	require.Eventually(m.t, func() bool {
		_, err := m.starter(m.tls()...)
		return err == nil
	}, patience, time.Second, "the server answers")
}

func (m *mutual) issue(ca *certtest.CA, until time.Time) {
	m.t.Helper()
	_, err := ca.Issue(m.dir, "ours", until)
	require.NoError(m.t, err)
}

func (m *mutual) tls() []string {
	return []string{
		"TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + m.ca.File,
		"TEMPORAL_TLS_CLIENT_CERT_PATH=" + filepath.Join(m.dir, "ours.pem"), "TEMPORAL_TLS_CLIENT_KEY_PATH=" + filepath.Join(m.dir, "ours.key"),
	}
}

func (m *mutual) command(name string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(m.t.Context(), filepath.Join(m.dir, name), args...)
	cmd.Dir = m.dir
	cmd.Env = append([]string{"HOME=" + m.dir, "TEMPORAL_ADDRESS=127.0.0.1:" + strconv.Itoa(m.port)}, env...)
	return cmd
}

func (m *mutual) starter(env ...string) (string, error) {
	text, err := m.command("starter", env, "setup").CombinedOutput()
	return string(text), err
}

func (m *mutual) worker() {
	m.t.Helper()
	port, err := freeport.Find(m.t.Context())
	require.NoError(m.t, err)
	m.health = "127.0.0.1:" + strconv.Itoa(port)
	cmd := m.command("worker", m.tls(), "--create", "--health-address", m.health)
	require.NoError(m.t, cmd.Start())
	m.t.Cleanup(func() {
		_ = cmd.Process.Kill() // the end of the test's context may have done so
		_ = cmd.Wait()
	})
}

// becomes waits until /ready answers so.
func (m *mutual) becomes(code int, says string) {
	m.t.Helper()
	var last string
	require.Eventually(m.t, func() bool {
		resp, err := http.Get("http://" + m.health + "/ready")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		last = string(text)
		return err == nil && resp.StatusCode == code
	}, time.Minute, 200*time.Millisecond)
	require.Contains(m.t, last, says)
}
