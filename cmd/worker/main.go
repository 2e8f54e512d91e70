// Command worker fetches: it takes the runs that Temporal hands out and keeps
// what they bring in the store.
package main

import "github.com/vendemmia/vendemmia/app"

func main() { app.Main(app.AsWorker) }
