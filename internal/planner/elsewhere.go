package planner

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/workflows"
)

// OtherStore returns the id of another store if the schedules of an instance belong to
// it and none belongs to the instance's own; empty if there is no schedule, or none
// names its store.
func OtherStore(ctx context.Context, s Schedules, i workflows.Instance) (string, error) {
	it, err := s.List(ctx, client.ScheduleListOptions{PageSize: listPage})
	if err != nil {
		return "", fmt.Errorf("list the schedules: %w", err)
	}
	other := ""
	for it.HasNext() {
		got, err := it.Next()
		if err != nil {
			return "", fmt.Errorf("list the schedules: %w", err)
		}
		if _, ours := i.Campaign(got.ID); !ours {
			continue
		}
		switch store := memoText(got.Memo, workflows.MemoStore); store {
		case "":
		case i.Store:
			return "", nil
		default:
			other = store
		}
	}
	return other, nil
}
