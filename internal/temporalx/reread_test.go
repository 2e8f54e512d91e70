package temporalx_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/testkit/certtest"
)

// frontend is the wire of Temporal: what it is asked with, and what it answers.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	mu     sync.Mutex
	keys   []string
	answer error
}

func (f *frontend) GetSystemInfo(ctx context.Context, _ *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	md, _ := metadata.FromIncomingContext(ctx)
	f.keys = append(f.keys, md.Get("authorization")...)
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (f *frontend) PollActivityTaskQueue(context.Context, *workflowservice.PollActivityTaskQueueRequest) (*workflowservice.PollActivityTaskQueueResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &workflowservice.PollActivityTaskQueueResponse{}, f.answer
}

func (f *frontend) answers(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = err
}

func serve(t *testing.T) (*frontend, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f, s := &frontend{}, grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(s, f)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	return f, l.Addr().String()
}

// A key that is rotated is the new one from the next call on, whether it stands in
// a file of its own or in a profile.
func TestKeysAreReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, profile := filepath.Join(dir, "key"), filepath.Join(dir, "temporal.toml")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(file, "one\n")
	write(profile, "[profile.default]\napi_key = \"one\"\n")
	for name, target := range map[string]temporalx.Target{
		"file":    {APIKeyFile: file, ConfigFile: filepath.Join(dir, "none.toml"), Env: env{"TEMPORAL_TLS": "false"}},
		"profile": {ConfigFile: profile, Env: env{"TEMPORAL_TLS": "false"}},
	} {
		f, address := serve(t)
		target.Address = address
		o, err := temporalx.ClientOptions(target)
		require.NoError(t, err, name)
		c, err := client.NewLazyClient(o)
		require.NoError(t, err)
		ask := func() {
			_, err := c.WorkflowService().GetSystemInfo(t.Context(), &workflowservice.GetSystemInfoRequest{})
			require.NoError(t, err, name)
		}
		ask()
		write(file, "two\n")
		write(profile, "[profile.default]\napi_key = \"two\"\n")
		ask()
		require.Equal(t, "Bearer one", f.keys[0], name)
		require.Equal(t, "Bearer two", f.keys[len(f.keys)-1], name)
		c.Close()
		write(file, "one\n")
		write(profile, "[profile.default]\napi_key = \"one\"\n")
	}
	write(file, "\n")
	_, err := temporalx.ClientOptions(temporalx.Target{APIKeyFile: file, Env: env{}})
	require.ErrorContains(t, err, "is empty")
	_, err = temporalx.ClientOptions(temporalx.Target{APIKeyFile: file + "s", Env: env{}})
	require.ErrorContains(t, err, "read the API key for Temporal")
}

// Authorities and both pairs are replaced while the client stands: the next
// handshake takes the new ones, and refuses what they do not cover.
func TestCertificatesAreReadAgain(t *testing.T) {
	t.Parallel()
	dir, day := t.TempDir(), time.Now().Add(time.Hour)
	ca, server, pair := house(t, dir, day)
	o, err := temporalx.ClientOptions(temporalx.Target{Address: "127.0.0.1:1", ConfigFile: filepath.Join(dir, "none.toml"), Env: env{
		"TEMPORAL_TLS_CLIENT_CERT_PATH": pair.Cert, "TEMPORAL_TLS_CLIENT_KEY_PATH": pair.Key, "TEMPORAL_TLS_SERVER_CA_CERT_PATH": ca.File,
	}})
	require.NoError(t, err)
	require.NoError(t, handshake(t, o.ConnectionOptions.TLS, ca, server))

	other, otherServer, _ := house(t, t.TempDir(), day)
	require.ErrorContains(t, handshake(t, o.ConnectionOptions.TLS, other, otherServer), "unknown authority")

	ca, server, _ = house(t, dir, day)
	require.NoError(t, handshake(t, o.ConnectionOptions.TLS, ca, server), "all three files are new")
	require.NoError(t, temporalx.CertificateError(o, time.Now()))
	require.ErrorContains(t, temporalx.CertificateError(o, day.Add(time.Minute)), "expired on")
	require.NoError(t, os.Remove(pair.Cert))
	require.ErrorContains(t, temporalx.CertificateError(o, time.Now()), "read the client certificate")
}

func house(t *testing.T, dir string, until time.Time) (*certtest.CA, certtest.Pair, certtest.Pair) {
	t.Helper()
	ca, err := certtest.New(filepath.Join(dir, "ca.pem"))
	require.NoError(t, err)
	server, err := ca.Issue(dir, "server", until)
	require.NoError(t, err)
	pair, err := ca.Issue(dir, "worker", until)
	require.NoError(t, err)
	return ca, server, pair
}

// handshake is one with a server that wants a certificate of ca.
func handshake(t *testing.T, c *tls.Config, ca *certtest.CA, server certtest.Pair) error {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(server.Cert, server.Key)
	require.NoError(t, err)
	text, err := os.ReadFile(ca.File)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert})
	require.NoError(t, err)
	defer l.Close()
	there := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = conn.(*tls.Conn).Handshake()
			conn.Close()
		}
		there <- err
	}()
	conn, err := tls.Dial("tcp", l.Addr().String(), c)
	if err != nil {
		return err
	}
	defer conn.Close()
	return <-there
}

// Polls that are refused are known, queue by queue, until one goes well.
func TestFailingPolls(t *testing.T) {
	t.Parallel()
	f, address := serve(t)
	o, err := temporalx.ClientOptions(temporalx.Target{Alone: true, Address: address})
	require.NoError(t, err)
	var polls temporalx.Polls
	polls.Watch(&o)
	c, err := client.NewLazyClient(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	poll := func() {
		_, _ = c.WorkflowService().PollActivityTaskQueue(t.Context(), &workflowservice.PollActivityTaskQueueRequest{TaskQueue: &taskqueue.TaskQueue{Name: "library"}})
	}
	require.NoError(t, polls.Failing(time.Now()))
	poll()
	require.NoError(t, polls.Failing(time.Now()))
	f.answers(status.Error(codes.PermissionDenied, "Request unauthorized."))
	poll()
	require.ErrorContains(t, polls.Failing(time.Now()), "polls of activities of library fail: rpc error: code = PermissionDenied")
	f.answers(nil)
	poll()
	require.NoError(t, polls.Failing(time.Now()))
}
