package temporalx

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// heldPoll is how long a server that refuses a poll does not take to say so: one
// that has waited for longer is held open for work.
const heldPoll = 5 * time.Second

// Polls watches whether the questions of workers for work succeed. The zero value
// is ready to use, by many goroutines.
type Polls struct {
	mu     sync.Mutex
	queues map[string]*queuePolls // by kind of task and queue
}

type queuePolls struct {
	under  map[int]time.Time // polls under way, since when
	next   int
	failed error // of the last that ended; nil: it went well
	at     time.Time
}

// Watch has the polls of a client looked at.
func (p *Polls) Watch(o *client.Options) {
	o.ConnectionOptions.DialOptions = append(o.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(p.intercept))
}

// Failing returns why workers get no work from a queue, or nil. A worker that has
// not polled yet does not fail.
func (p *Polls) Failing(now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, q := range p.queues {
		if q.failed != nil && !q.held(now) {
			return fmt.Errorf("polls of %s fail: %w", name, q.failed)
		}
	}
	return nil
}

// held: has the server taken a poll since the one that failed?
func (q *queuePolls) held(now time.Time) bool {
	for _, since := range q.under {
		if since.After(q.at) && now.Sub(since) > heldPoll {
			return true
		}
	}
	return false
}

func (p *Polls) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	name := pollOf(method, req)
	if name == "" {
		return call(ctx, method, req, reply, cc, opts...)
	}
	n := p.begin(name)
	err := call(ctx, method, req, reply, cc, opts...)
	p.end(name, n, err)
	return err
}

func (p *Polls) begin(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queues == nil {
		p.queues = map[string]*queuePolls{}
	}
	q := p.queues[name]
	if q == nil {
		q = &queuePolls{under: map[int]time.Time{}}
		p.queues[name] = q
	}
	q.next++
	q.under[q.next] = time.Now()
	return q.next
}

func (p *Polls) end(name string, n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queues[name]
	delete(q.under, n)
	if status.Code(err) != codes.Canceled { // we have ended it
		q.failed, q.at = err, time.Now()
	}
}

// pollOf names what a call polls: "activities of vendemmia-fetch"; "" for any other.
func pollOf(method string, req any) string {
	r, ok := req.(interface{ GetTaskQueue() *taskqueue.TaskQueue })
	if !ok {
		return ""
	}
	queue := r.GetTaskQueue().GetNormalName()
	if queue == "" {
		queue = r.GetTaskQueue().GetName()
	}
	switch {
	case strings.HasSuffix(method, "/PollWorkflowTaskQueue"):
		return "workflow tasks of " + queue
	case strings.HasSuffix(method, "/PollActivityTaskQueue"):
		return "activities of " + queue
	default:
		return ""
	}
}
