package planner

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/workflows"
)

// OtherStore returns the id of the store that an instance's schedules belong to
// when none of them is of the instance's own; empty when there is no schedule,
// or none that says whose it is.
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
