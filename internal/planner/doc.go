// Package planner brings campaign files into the store and Temporal's schedules. Plan
// shows what would change, Apply carries it out and completes an interrupted Apply, and
// Pause, Resume and Delete change one campaign.
package planner
