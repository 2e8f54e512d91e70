package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workerpb "go.temporal.io/api/worker/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A server lists a process that was replaced beside the one that took its name.
func TestTheNewestProcessOfAName(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	process := func(started, seen time.Duration, s enumspb.WorkerStatus) Worker {
		return beating(&workerpb.WorkerHeartbeat{
			WorkerIdentity: "w", TaskQueue: "q", Status: s, StartTime: timestamppb.New(at.Add(started)), HeartbeatTime: timestamppb.New(at.Add(seen)),
		})
	}
	old := process(-time.Hour, -5*time.Minute, enumspb.WORKER_STATUS_RUNNING)
	leaving := process(-time.Hour, -time.Second, enumspb.WORKER_STATUS_SHUTTING_DOWN)
	now := process(-4*time.Minute, -20*time.Second, enumspb.WORKER_STATUS_RUNNING)
	for _, order := range [][]Worker{{old, now}, {now, old}, {leaving, now}, {now, leaving}, {worker(&workerpb.WorkerListInfo{WorkerIdentity: "w", TaskQueue: "q"}), now}} {
		var list []Worker
		for _, w := range order {
			list = addNewest(list, w)
		}
		require.Equal(t, []Worker{now}, list)
	}
	require.Len(t, addNewest([]Worker{now}, Worker{Identity: "w", Queue: "other"}), 2)
}
