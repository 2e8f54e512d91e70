package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

// house runs a Housekeeping whose steps are fakes; broken ones fail.
func house(t *testing.T, broken ...string) (*testsuite.TestWorkflowEnvironment, map[string]int) {
	t.Helper()
	env := environment()
	env.SetStartTime(start)
	Register(env)
	calls := map[string]int{}
	call := func(name string) error {
		calls[name]++
		for _, b := range broken {
			if b == name {
				return errors.New("database is locked")
			}
		}
		return nil
	}
	steps.Reconcile.Register(env, func(context.Context, steps.ReconcileIn) (steps.Reconciled, error) {
		return steps.Reconciled{Looked: 3}, call("reconcile")
	})
	steps.FindMissed.Register(env, func(context.Context, steps.FindMissedIn) (steps.Missed, error) {
		return steps.Missed{Found: 2}, call("missed")
	})
	steps.Clean.Register(env, func(context.Context, steps.CleanIn) (steps.Cleaned, error) {
		return steps.Cleaned{Runs: 1}, call("clean")
	})
	return env, calls
}

func keep(t *testing.T, env *testsuite.TestWorkflowEnvironment, in HousekeepingIn) (Kept, error) {
	t.Helper()
	env.ExecuteWorkflow(HousekeepingWorkflow, in)
	require.True(t, env.IsWorkflowCompleted())
	var kept Kept
	err := env.GetWorkflowError()
	if err == nil {
		require.NoError(t, env.GetWorkflowResult(&kept))
		return kept, nil
	}
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.NoError(t, app.Details(&kept))
	return kept, err
}

func TestHousekeeping(t *testing.T) {
	t.Parallel()
	env, _ := house(t)
	kept, err := keep(t, env, HousekeepingIn{})
	require.NoError(t, err)
	require.Equal(t, 3, kept.Reconciled.Looked)
	require.Equal(t, 2, kept.Missed.Found)
	require.Equal(t, 1, kept.Cleaned.Runs)
	require.True(t, kept.CleanedAt.Equal(start))
}

func TestHousekeepingCleansOnceADay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ago   time.Duration
		in    HousekeepingIn
		clean bool
	}{
		{"a moment ago", 5 * time.Minute, HousekeepingIn{}, false},
		{"nearly a day ago", cleanEvery - time.Second, HousekeepingIn{}, false},
		{"a day ago", cleanEvery, HousekeepingIn{}, true},
		{"on request", time.Minute, HousekeepingIn{Clean: true}, true},
	} {
		for _, failed := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				env, calls := house(t)
				last := Kept{CleanedAt: start.Add(-c.ago)}
				env.SetLastCompletionResult(last)
				if failed {
					env.SetLastCompletionResult(Kept{CleanedAt: start.Add(-1000 * time.Hour)})
					env.SetLastError(houseFailureOf(last))
				}
				kept, err := keep(t, env, c.in)
				require.NoError(t, err)
				require.Equal(t, c.clean, kept.Cleaned != nil)
				require.Equal(t, c.clean, calls["clean"] == 1)
				if !c.clean {
					require.True(t, kept.CleanedAt.Equal(last.CleanedAt), "the next run has to know")
				}
			})
		}
	}
}

func houseFailureOf(kept Kept) error {
	return temporal.NewApplicationError("reconcile: database is locked", "housekeeping", kept)
}

func TestHousekeepingGoesOn(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"reconcile", "missed", "clean"} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			env, calls := house(t, broken)
			kept, err := keep(t, env, HousekeepingIn{})
			require.ErrorContains(t, err, "database is locked")
			for _, name := range []string{"reconcile", "missed", "clean"} {
				want := 1
				if name == broken {
					want = 3
				}
				require.Equal(t, want, calls[name], name)
			}
			require.Equal(t, broken == "clean", kept.CleanedAt.IsZero())
		})
	}
}

func TestHousekeepingSchedule(t *testing.T) {
	t.Parallel()
	s := HousekeepingSchedule(Instance{Name: "blue"})
	require.Equal(t, "blue-vendemmia-housekeeping", s.ID)
	require.Equal(t, "blue-vendemmia-control", s.Action.(*client.ScheduleWorkflowAction).TaskQueue)
	require.Equal(t, 5*time.Minute, s.Spec.Intervals[0].Every)
}
