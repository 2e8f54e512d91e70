package workflows

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func applied() Applied {
	return Applied{
		Campaign: campaigns.Campaign{
			Name: "news", Project: "law-monitor", Description: "Italian news, 133 feeds", Owner: "redazione@example.it",
			Tags: []string{"news", "rss"}, Processors: 10,
			Schedule: &campaigns.Schedule{Every: 2 * time.Hour, TimeZone: "Europe/Rome"},
			Entries:  []campaigns.Entry{{Name: "feed", Split: &campaigns.Split{List: "sha256:77", Count: 133}}},
		},
		Version: 7, Digest: "sha256:4c19ab12ffffffff", By: "marta", File: "campaigns/main.yaml", Line: 20, Commit: "1f2e3d4",
		At: time.Date(2026, 5, 2, 7, 12, 30, 0, time.UTC),
	}
}

const plainNote = "every 2h · 133 items · news@7 by marta 2 May 09:12 · main.yaml:20 · #4c19ab12"

func TestScheduleOptionsSayEverything(t *testing.T) {
	t.Parallel()
	a := applied()
	a.Campaign.Schedule.MaxRuns = 12
	got, err := ScheduleOptions(Instance{Store: "7f3a9c12", Attributes: map[string]string{"Campaign": "VCampaign", "Tags": "VTags", "Trigger": "VTrigger"}}, a)
	require.NoError(t, err)
	jitter := a.Campaign.Schedule.Spread("news")
	require.Equal(t, client.ScheduleOptions{
		ID: "campaign-news",
		Spec: client.ScheduleSpec{
			Intervals: []client.ScheduleIntervalSpec{{Every: 2 * time.Hour}}, Jitter: jitter, TimeZoneName: "Europe/Rome",
		},
		Action: &client.ScheduleWorkflowAction{
			ID: "news", Workflow: "CampaignWorkflow", TaskQueue: "vendemmia-control", WorkflowTaskTimeout: 10 * time.Second,
			Args: []any{steps.Start{Campaign: "news", Definition: "news@7", Trigger: steps.TriggerSchedule, TriggeredBy: "marta", Store: "7f3a9c12"}},
			Memo: map[string]any{
				"definition": "news@7", "digest": "sha256:4c19ab12ffffffff", "file": "main.yaml:20", "commit": "1f2e3d4", "by": "marta",
				"store": "7f3a9c12", "project": "law-monitor",
			},
			TypedSearchAttributes: temporal.NewSearchAttributes(
				temporal.NewSearchAttributeKeyKeyword("VCampaign").ValueSet("news"),
				temporal.NewSearchAttributeKeyKeywordList("VTags").ValueSet([]string{"news", "rss"}),
				temporal.NewSearchAttributeKeyKeyword("VTrigger").ValueSet("schedule"),
			),
			StaticSummary: "Italian news, 133 feeds · every 2h · 10 processors",
			StaticDetails: "owner redazione@example.it\n\ndefinition news@7 by marta, 2 May 2026 09:12 CEST\n\nfile main.yaml:20, commit 1f2e3d4\n\nstarter why news",
		},
		CatchupWindow: time.Hour, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL, RemainingActions: 12, Note: plainNote,
		Memo: map[string]any{"campaign": "news", "project": "law-monitor", "store": "7f3a9c12"},
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword("VCampaign").ValueSet("news"),
			temporal.NewSearchAttributeKeyKeywordList("VTags").ValueSet([]string{"news", "rss"}),
		),
	}, got)
}

func TestScheduleOptionsWithoutAttributesInAnInstance(t *testing.T) {
	t.Parallel()
	a, zero := applied(), time.Duration(0)
	a.Campaign.Schedule = &campaigns.Schedule{Cron: []string{"@daily"}, Jitter: &zero, CatchUp: 3 * time.Hour, Overlap: campaigns.OverlapBufferOne}
	a.Campaign.Entries = append(a.Campaign.Entries, campaigns.Entry{Priority: campaigns.PriorityLow}, campaigns.Entry{Priority: campaigns.PriorityUrgent})
	a.Pause = &Pause{By: "ilse", At: a.At, Note: "new firewall"}
	got, err := ScheduleOptions(Instance{Name: "blue"}, a)
	require.NoError(t, err)
	require.Equal(t, "blue-campaign-news", got.ID)
	action := got.Action.(*client.ScheduleWorkflowAction)
	require.Equal(t, "blue-news", action.ID)
	require.Equal(t, "blue-vendemmia-control", action.TaskQueue)
	require.Equal(t, 1, action.Priority.PriorityKey)
	require.Zero(t, action.TypedSearchAttributes.Size())
	require.Zero(t, got.TypedSearchAttributes.Size())
	require.Zero(t, got.Spec.Jitter)
	require.Equal(t, 3*time.Hour, got.CatchupWindow)
	require.Equal(t, enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, got.Overlap)
	require.True(t, got.Paused)
	require.Contains(t, got.Note, "PAUSED by ilse 2 May: new firewall · @daily · ")

	name, ours := Instance{Name: "blue"}.Campaign("blue-campaign-news")
	require.True(t, ours)
	require.Equal(t, "news", name)
	_, ours = Instance{Name: "blue"}.Campaign("campaign-news")
	require.False(t, ours)

	a.Campaign.Schedule = nil
	_, err = ScheduleOptions(Instance{}, a)
	require.ErrorContains(t, err, "make the schedule of news: the campaign has none")
	a.Campaign.Schedule = &campaigns.Schedule{}
	_, err = ScheduleOptions(Instance{}, a)
	require.ErrorContains(t, err, "exactly one of every, at and cron")
}

func TestOverlapsHaveANameAtTheServer(t *testing.T) {
	t.Parallel()
	for ours, theirs := range map[campaigns.Overlap]enumspb.ScheduleOverlapPolicy{
		"":                         enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL,
		campaigns.OverlapSkip:      enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL,
		campaigns.OverlapBufferOne: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE,
		campaigns.OverlapBufferAll: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL,
		campaigns.OverlapCancel:    enumspb.SCHEDULE_OVERLAP_POLICY_CANCEL_OTHER,
		campaigns.OverlapTerminate: enumspb.SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER,
		campaigns.OverlapAllow:     enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL,
	} {
		require.Equal(t, theirs, scheduleOverlap(ours), string(ours))
	}
	for p, key := range map[campaigns.Priority]int{"": 3, campaigns.PriorityUrgent: 1, campaigns.PriorityHigh: 2, campaigns.PriorityNormal: 3, campaigns.PriorityLow: 4, campaigns.PriorityIdle: 5} {
		require.Equal(t, key, p.Key(), string(p))
	}
}

func TestScheduleSpecTranslates(t *testing.T) {
	t.Parallel()
	one := func(v int) []client.ScheduleRange { return []client.ScheduleRange{{Start: v, End: v, Step: 1}} }
	to := func(lo, hi int) []client.ScheduleRange { return []client.ScheduleRange{{Start: lo, End: hi, Step: 1}} }
	jitter := time.Minute
	got, err := ScheduleSpec(campaigns.Schedule{
		Cron: []string{"30 1 13 * fri"}, Jitter: &jitter, Start: "2026-01-01", End: "2026-12-31", Skip: []string{"12-25", "2026-08-15"},
	}, "news")
	require.NoError(t, err)
	require.Equal(t, client.ScheduleSpec{
		Calendars: []client.ScheduleCalendarSpec{
			{Second: one(0), Minute: one(30), Hour: one(1), DayOfMonth: one(13), Month: to(1, 12), DayOfWeek: to(0, 6)},
			{Second: one(0), Minute: one(30), Hour: one(1), DayOfMonth: to(1, 31), Month: to(1, 12), DayOfWeek: one(5)},
		},
		Skip: []client.ScheduleCalendarSpec{
			{Second: to(0, 59), Minute: to(0, 59), Hour: to(0, 23), DayOfMonth: one(25), Month: one(12), DayOfWeek: to(0, 6)},
			{Second: to(0, 59), Minute: to(0, 59), Hour: to(0, 23), DayOfMonth: one(15), Month: one(8), DayOfWeek: to(0, 6), Year: one(2026)},
		},
		StartAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), EndAt: time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC),
		Jitter: time.Minute, TimeZoneName: "UTC",
	}, got)
}

func TestNoteReadsBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Applied)
		note   string
		want   Note
	}{
		"plain": {note: plainNote, want: Note{Campaign: "news", Version: 7, Digest: "4c19ab12"}},
		"paused": {
			change: func(a *Applied) {
				a.Pause = &Pause{By: "marta", At: a.At.AddDate(0, 0, 2), Note: "feeds.csv · under\nrepair: ask Ilse"}
			},
			note: "PAUSED by marta 4 May: feeds.csv - under repair: ask Ilse · " + plainNote,
			want: Note{Campaign: "news", Version: 7, Digest: "4c19ab12", Paused: true, By: "marta", Text: "feeds.csv - under repair: ask Ilse"},
		},
		"paused by nobody for nothing": {
			change: func(a *Applied) { a.Pause = &Pause{At: a.At} },
			note:   "PAUSED 2 May · " + plainNote,
			want:   Note{Campaign: "news", Version: 7, Digest: "4c19ab12", Paused: true},
		},
		"no file, no author, one item, no schedule": {
			change: func(a *Applied) {
				a.File, a.By, a.Campaign.Schedule, a.Campaign.Entries = "", "", nil, []campaigns.Entry{{Name: "x"}}
			},
			note: "1 item · news@7 2 May 07:12 · #4c19ab12",
			want: Note{Campaign: "news", Version: 7, Digest: "4c19ab12"},
		},
		"items asked for, a person with a long name": {
			change: func(a *Applied) {
				a.Campaign.Entries[0].Split, a.By = &campaigns.Split{Ask: "sets"}, "marta 4 May: rossi"
				a.Pause = &Pause{By: "x 1 May", At: a.At, Note: strings.Repeat("à", 400)}
			},
			note: "PAUSED by x 1 May 2 May: " + strings.Repeat("à", 148) + "… · every 2h · news@7 by marta 4 May: rossi 2 May 09:12 · main.yaml:20 · #4c19ab12",
			want: Note{Campaign: "news", Version: 7, Digest: "4c19ab12", Paused: true, By: "x 1 May", Text: strings.Repeat("à", 148) + "…"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := applied()
			if c.change != nil {
				c.change(&a)
			}
			note := ScheduleNote(a)
			require.Equal(t, c.note, note)
			got, ours := ParseNote(note)
			require.True(t, ours)
			require.Equal(t, c.want, got)
		})
	}
}

func TestForeignNotesAreNotOurs(t *testing.T) {
	t.Parallel()
	for _, note := range []string{
		"", "Paused via Go SDK", "#4c19ab12", "a · b", "every 2h · #4c19ab12", "news@7 by marta 2 May 09:12", plainNote + " · and more",
	} {
		got, ours := ParseNote(note)
		require.False(t, ours, note)
		require.Equal(t, Note{Text: note}, got)
	}
}

func FuzzParseNote(f *testing.F) {
	f.Add("marta", "under repair", "main.yaml")
	f.Add("", "", "")
	f.Add("a · b", "PAUSED 1 May: x · #00000000", "x@1 1 May 00:00")
	f.Fuzz(func(t *testing.T, by, text, file string) {
		a := applied()
		a.By, a.File, a.Pause = by, file, &Pause{By: by, At: a.At, Note: text}
		got, ours := ParseNote(ScheduleNote(a))
		require.True(t, ours)
		require.True(t, got.Paused)
		require.Equal(t, "news@7", Applied{Campaign: campaigns.Campaign{Name: got.Campaign}, Version: got.Version}.Ref())
		ParseNote(text)
	})
}

func TestStaticSummaryFits(t *testing.T) {
	t.Parallel()
	c := applied().Campaign
	c.Description = strings.Repeat("tutte le gazzette d'Italia, città per città; ", 10)
	got := StaticSummary(c, "")
	require.LessOrEqual(t, len(got), 200)
	require.Contains(t, got, "… · every 2h · 10 processors")
	c.Schedule = &campaigns.Schedule{Cron: []string{"1 1 1 1 *", strings.Repeat("2,", 200) + "1 1 1 1 *"}}
	require.LessOrEqual(t, len(StaticSummary(c, "")), 200)
	require.Equal(t, "x · 1 processor", StaticSummary(campaigns.Campaign{Name: "x"}, ""))
}

func TestStartOptions(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 3, 18, 0, 0, 9, time.FixedZone("CEST", 7200))
	in := steps.Start{Campaign: "news", Trigger: steps.TriggerHand, TriggeredBy: "marta", Processors: 3}
	got := StartOptions(Instance{Attributes: map[string]string{"Trigger": "Trigger"}}, applied().Campaign, in, HandID("news", at))
	require.Equal(t, "news-2026-05-03T16:00:00Z", got.ID)
	require.Equal(t, "vendemmia-control", got.TaskQueue)
	require.Equal(t, "Italian news, 133 feeds · by hand, marta · 3 processors", got.StaticSummary)
	require.Equal(t, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL, got.WorkflowIDConflictPolicy)
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, got.WorkflowIDReusePolicy)
	require.True(t, got.WorkflowExecutionErrorWhenAlreadyStarted)
	require.Zero(t, got.WorkflowExecutionTimeout)
	require.Equal(t, 1, got.TypedSearchAttributes.Size())

	in = steps.Start{Trigger: steps.TriggerBackfill}
	got = StartOptions(Instance{Name: "blue"}, applied().Campaign, in, "news-backfill-2006-01-01--now")
	require.Equal(t, "blue-news-backfill-2006-01-01--now", got.ID)
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, got.WorkflowIDReusePolicy)
	require.Contains(t, got.StaticSummary, " · backfill · ")
	require.Contains(t, StartOptions(Instance{}, applied().Campaign, steps.Start{Trigger: steps.TriggerRetry, RetryOf: "news-x"}, "id").StaticSummary, "retry of news-x")
}

func TestRunIDs(t *testing.T) {
	t.Parallel()
	require.Equal(t, "news-retry-2026-05-03T16:00:00Z-1", RetryID("news", "news-2026-05-03T16:00:00Z", 1))
	require.Equal(t, "news-retry-2026-05-03T16:00:00Z-2", RetryID("news", "news-retry-2026-05-03T16:00:00Z-1", 2))
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	for want, w := range map[string]harvest.Window{
		"news-backfill-2006-01-01--2025-12-31":          {From: day(2006, 1, 1), Until: day(2025, 12, 31)},
		"news-backfill-beginning--2025-12-31T18:30:00Z": {Until: day(2025, 12, 31).Add(18*time.Hour + 30*time.Minute)},
		"news-backfill-2006-01-01T00:00:01Z--now":       {From: day(2006, 1, 1).Add(time.Second)},
		"news-backfill-beginning--now":                  {},
	} {
		require.Equal(t, want, BackfillID("news", w))
	}
}
