package workflows

import (
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Instance tells one installation from others in a namespace they share.
type Instance struct {
	// Name begins the ids of schedules and runs, and the task queues; may be
	// empty.
	Name string
	// Store is the id of the store that the campaigns live in; it is kept in
	// memos.
	Store string
	// Attributes maps our search attributes (Campaign, Tags, Trigger) to the
	// names they have on this server; those that are absent are not set.
	Attributes map[string]string
}

// Queue returns the task queue's name on the server.
func (i Instance) Queue(name string) string { return i.prefix() + name }

// WorkflowID returns the id on the server of a run called id.
func (i Instance) WorkflowID(id string) string { return i.prefix() + id }

// ScheduleID returns the id of a campaign's schedule.
func (i Instance) ScheduleID(campaign string) string { return i.prefix() + schedulePrefix + campaign }

// Campaign returns whose schedule an id is; false when it is none of this
// instance.
func (i Instance) Campaign(scheduleID string) (string, bool) {
	name, found := strings.CutPrefix(scheduleID, i.prefix()+schedulePrefix)
	return name, found && name != ""
}

const schedulePrefix = "campaign-"

func (i Instance) prefix() string {
	if i.Name == "" {
		return ""
	}
	return i.Name + "-"
}

// Our search attributes that a start sets.
const (
	attributeCampaign = "Campaign"
	attributeTags     = "Tags"
	attributeTrigger  = "Trigger"
)

// Memo keys of schedules and of the runs they start.
const (
	MemoCampaign   = "campaign"
	MemoProject    = "project"
	MemoStore      = "store"
	MemoDefinition = "definition"
	MemoDigest     = "digest"
	MemoFile       = "file"
	MemoCommit     = "commit"
	MemoBy         = "by"
)

// Applied is a campaign as it was applied: what its schedule is made of.
type Applied struct {
	Campaign campaigns.Campaign
	Version  int
	Digest   string // sha256:…
	By       string
	File     string
	Line     int
	Commit   string
	At       time.Time
	// Pause is nil for a schedule that is not paused.
	Pause *Pause
}

// Pause says who paused a schedule, when and why.
type Pause struct {
	By   string
	At   time.Time
	Note string
}

// Ref returns "news@7".
func (a Applied) Ref() string { return fmt.Sprintf("%s@%d", a.Campaign.Name, a.Version) }

// ScheduleOptions makes the schedule of an applied campaign. Temporal appends
// the due time to the action's workflow id: news-2026-05-03T16:00:00Z. The
// campaign must have a schedule.
func ScheduleOptions(i Instance, a Applied) (client.ScheduleOptions, error) {
	s := a.Campaign.Schedule
	if s == nil {
		return client.ScheduleOptions{}, fmt.Errorf("make the schedule of %s: the campaign has none", a.Campaign.Name)
	}
	spec, err := ScheduleSpec(*s, a.Campaign.Name)
	if err != nil {
		return client.ScheduleOptions{}, fmt.Errorf("make the schedule of %s: %w", a.Campaign.Name, err)
	}
	return client.ScheduleOptions{
		ID:     i.ScheduleID(a.Campaign.Name),
		Spec:   spec,
		Action: scheduleAction(i, a),
		// Explicit: the server's own window is a year.
		CatchupWindow:         s.CatchUpWindow(),
		Overlap:               scheduleOverlap(s.Overlap),
		RemainingActions:      s.MaxRuns,
		Note:                  ScheduleNote(a),
		Paused:                a.Pause != nil,
		Memo:                  map[string]any{MemoCampaign: a.Campaign.Name, MemoProject: a.Campaign.Project, MemoStore: i.Store},
		TypedSearchAttributes: ScheduleAttributes(i, a.Campaign),
	}, nil
}

// scheduleAction: no execution timeout, since a run bounds itself and must be
// able to close.
func scheduleAction(i Instance, a Applied) *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID:                    i.WorkflowID(a.Campaign.Name),
		Workflow:              steps.CampaignWorkflow,
		Args:                  []any{steps.Start{Campaign: a.Campaign.Name, Definition: a.Ref(), Trigger: steps.TriggerSchedule, TriggeredBy: a.By, Store: i.Store}},
		TaskQueue:             i.Queue(steps.QueueControl),
		WorkflowTaskTimeout:   workflowTaskTimeout,
		Memo:                  runMemo(i, a),
		TypedSearchAttributes: startAttributes(i, a.Campaign.Name, a.Campaign.Tags, steps.TriggerSchedule),
		StaticSummary:         StaticSummary(a.Campaign, ""),
		StaticDetails:         staticDetails(a),
		Priority:              startPriority(a.Campaign),
	}
}

const workflowTaskTimeout = 10 * time.Second

// runMemo is the action's: unlike a schedule's own memo it changes with it.
func runMemo(i Instance, a Applied) map[string]any {
	memo := map[string]any{MemoDefinition: a.Ref(), MemoDigest: a.Digest, MemoStore: i.Store, MemoProject: a.Campaign.Project}
	for key, value := range map[string]string{MemoFile: fileLine(a.File, a.Line), MemoCommit: a.Commit, MemoBy: a.By} {
		if value != "" {
			memo[key] = value
		}
	}
	return memo
}

// ScheduleAttributes returns the search attributes of a campaign's schedule.
func ScheduleAttributes(i Instance, c campaigns.Campaign) temporal.SearchAttributes {
	return startAttributes(i, c.Name, c.Tags, "")
}

func startAttributes(i Instance, campaign string, tags []string, trigger steps.Trigger) temporal.SearchAttributes {
	var set []temporal.SearchAttributeUpdate
	if name := i.Attributes[attributeCampaign]; name != "" && campaign != "" {
		set = append(set, temporal.NewSearchAttributeKeyKeyword(name).ValueSet(campaign))
	}
	if name := i.Attributes[attributeTags]; name != "" && len(tags) > 0 {
		set = append(set, temporal.NewSearchAttributeKeyKeywordList(name).ValueSet(tags))
	}
	if name := i.Attributes[attributeTrigger]; name != "" && trigger != "" {
		set = append(set, temporal.NewSearchAttributeKeyKeyword(name).ValueSet(string(trigger)))
	}
	return temporal.NewSearchAttributes(set...)
}

// scheduleOverlap: where a second run is skipped, the server starts it all the same.
// The gate of our own then refuses it and records why; the server would only count.
func scheduleOverlap(o campaigns.Overlap) enumspb.ScheduleOverlapPolicy {
	switch o {
	case campaigns.OverlapBufferOne:
		return enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE
	case campaigns.OverlapBufferAll:
		return enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL
	case campaigns.OverlapCancel:
		return enumspb.SCHEDULE_OVERLAP_POLICY_CANCEL_OTHER
	case campaigns.OverlapTerminate:
		return enumspb.SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER
	default:
		return enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL
	}
}

// startPriority is that of the campaign's most urgent entry; normal is left to
// the server.
func startPriority(c campaigns.Campaign) temporal.Priority {
	best := 0
	for _, e := range c.Entries {
		if key := e.Priority.Key(); best == 0 || key < best {
			best = key
		}
	}
	if best == campaigns.PriorityNormal.Key() {
		best = 0
	}
	return temporal.Priority{PriorityKey: best}
}
