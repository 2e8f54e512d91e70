// Package app puts the parts together. A program with fetchers of its own is
// both binaries without a fork:
//
//	func main() { app.Main(app.With("mine", mine.New)) }
//
// Its first argument says which: mine worker --queues library, mine starter
// campaigns list; without one it is the starter, and under a name like my-worker
// the worker.
package app
