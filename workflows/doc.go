// Package workflows is the deciding side: deterministic code that asks for
// steps and keeps house, without a clock, a socket, a file or a setting of its
// own. Campaign is a run, Housekeeping looks after all of them.
package workflows
