// Package registry is the outside and the deciding side of a job registry: a web
// service that says what to harvest and is told how it goes. It speaks the two
// dialects (Service), makes a campaign of a job (Job.Body), and decides, without a
// clock, a store or a network, what a listing means (Merge) and what is to be done
// about it (Actions). Doing it is for activities, with the planner's apply.
package registry
