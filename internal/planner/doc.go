// Package planner brings campaign files to the store and to Temporal's
// schedules: what would change (Plan), doing it so that a crash in the middle is
// completed by the next time (Apply), and pausing, resuming and deleting.
package planner
