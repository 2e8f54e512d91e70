package e2e

import (
	"context"
	"net"
	"path"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// turnstile stands between a worker and the Temporal server. Told to, it lets so many
// calls of one method through: of the next one the server's answer never comes, and
// those after it never reach the server, until the worker is gone.
type turnstile struct {
	address string

	mu     sync.Mutex
	method string
	left   int
	shut   chan struct{} // closed once a call is held
}

func newTurnstile(t *testing.T, server string) *turnstile {
	t.Helper()
	to, err := grpc.NewClient(server, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { to.Close() })
	service, err := proxy.NewWorkflowServiceProxyServer(proxy.WorkflowServiceProxyOptions{Client: workflowservice.NewWorkflowServiceClient(to)})
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ts := &turnstile{address: listener.Addr().String()}
	s := grpc.NewServer(grpc.UnaryInterceptor(ts.pass))
	workflowservice.RegisterWorkflowServiceServer(s, service)
	well := health.NewServer()
	well.SetServingStatus("temporal.api.workflowservice.v1.WorkflowService", healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(s, well)
	go s.Serve(listener) // until it is stopped
	t.Cleanup(s.Stop)
	return ts
}

// after lets n calls of a method through; the channel is closed when the next one was
// held.
func (ts *turnstile) after(method string, n int) <-chan struct{} {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.method, ts.left, ts.shut = method, n, make(chan struct{})
	return ts.shut
}

// open lets everything through.
func (ts *turnstile) open() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.method = ""
}

func (ts *turnstile) pass(ctx context.Context, in any, info *grpc.UnaryServerInfo, to grpc.UnaryHandler) (any, error) {
	ts.mu.Lock()
	free, last, shut := path.Base(info.FullMethod) != ts.method || ts.left > 0, ts.left == 0, ts.shut
	if path.Base(info.FullMethod) == ts.method {
		ts.left--
	}
	ts.mu.Unlock()
	if free {
		return to(ctx, in)
	}
	if last {
		_, _ = to(ctx, in) // nobody will know
		close(shut)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}
