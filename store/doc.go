// Package store keeps what campaigns, runs and items leave behind: definitions,
// documents with their versions, checkpoints, the ledger, and the state of runs.
//
// A page and its checkpoint are one transaction, so after any kill of a worker
// or of this process every page is stored once or not at all. Many processes
// may open one store at the same time.
package store
