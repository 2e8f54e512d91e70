package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workerpb "go.temporal.io/api/worker/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// Pollers returns who asks a task queue for work, for workflows and for
// activities together, each worker once. The server forgets one after five
// minutes.
func (c *Client) Pollers(ctx context.Context, queue string) ([]Poller, error) {
	seen := map[string]Poller{}
	for _, kind := range []enumspb.TaskQueueType{enumspb.TASK_QUEUE_TYPE_WORKFLOW, enumspb.TASK_QUEUE_TYPE_ACTIVITY} {
		d, err := c.sdk.DescribeTaskQueue(ctx, queue, kind)
		if err != nil {
			return nil, translate("look at task queue "+queue, err)
		}
		for _, p := range d.GetPollers() {
			at := p.GetLastAccessTime().AsTime()
			if old, ok := seen[p.GetIdentity()]; !ok || at.After(old.LastSeen) {
				seen[p.GetIdentity()] = Poller{Identity: p.GetIdentity(), LastSeen: at}
			}
		}
	}
	out := make([]Poller, 0, len(seen))
	for _, p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Poller) int { return cmp.Compare(a.Identity, b.Identity) })
	return out, nil
}

// Workers returns the live roster; ErrUnsupported where the server keeps none.
func (c *Client) Workers(ctx context.Context) ([]Worker, error) {
	var out []Worker
	var page []byte
	for {
		answer, err := c.sdk.WorkflowService().ListWorkers(ctx, &workflowservice.ListWorkersRequest{
			Namespace: c.target.Namespace, PageSize: 200, NextPageToken: page,
		})
		if err != nil {
			return nil, unsupported(err)
		}
		for _, w := range answer.GetWorkers() {
			out = addNewest(out, worker(w))
		}
		//lint:ignore SA1019 servers up to 1.29 answer with this member only
		for _, w := range answer.GetWorkersInfo() {
			if h := w.GetWorkerHeartbeat(); h != nil {
				out = addNewest(out, beating(h))
			}
		}
		if page = answer.GetNextPageToken(); len(page) == 0 {
			break
		}
	}
	slices.SortFunc(out, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.Queue, b.Queue))
	})
	return out, nil
}

// unsupported: servers without the roster say so in one of two ways.
func unsupported(err error) error {
	if e, ok := errors.AsType[*serviceerror.InvalidArgument](err); ok && strings.Contains(e.Message, "ListWorkers") {
		return ErrUnsupported
	}
	return translate("list workers", err)
}

func worker(w *workerpb.WorkerListInfo) Worker {
	out := Worker{
		Identity: w.GetWorkerIdentity(), Host: w.GetHostName(), Queue: w.GetTaskQueue(), Status: status(w.GetStatus()),
	}
	if w.GetStartTime() != nil {
		out.Since = w.GetStartTime().AsTime()
	}
	return out
}

func beating(h *workerpb.WorkerHeartbeat) Worker {
	out := Worker{Identity: h.GetWorkerIdentity(), Host: h.GetHostInfo().GetHostName(), Queue: h.GetTaskQueue(), Status: status(h.GetStatus())}
	if h.GetHeartbeatTime() != nil {
		out.LastSeen = h.GetHeartbeatTime().AsTime()
	}
	if h.GetStartTime() != nil {
		out.Since = h.GetStartTime().AsTime()
	}
	return out
}

// addNewest keeps of two processes with one identity on one queue the one that
// started last: the server remembers for a while the one that it replaced.
func addNewest(list []Worker, w Worker) []Worker {
	i := slices.IndexFunc(list, func(o Worker) bool { return o.Identity == w.Identity && o.Queue == w.Queue })
	switch {
	case i < 0:
		return append(list, w)
	case cmp.Or(list[i].Since.Compare(w.Since), list[i].LastSeen.Compare(w.LastSeen)) > 0:
		return list
	}
	w.Host = cmp.Or(w.Host, list[i].Host)
	list[i] = w
	return list
}

func status(s enumspb.WorkerStatus) string { return strings.ToLower(s.String()) }
