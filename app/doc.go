// Package app puts the parts together. A program with fetchers of its own is
// both binaries without a fork:
//
//	func main() { app.Main(app.With("mine", mine.New)) }
//
// Built under the name worker it is the worker, under any other the starter.
package app
