// Command worker fetches: it takes the runs that Temporal hands out and keeps
// what they bring in the store.
package main

import (
	"context"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/worker"
)

// The worker does not go through app, which links the command line as well.
func main() {
	process.Main(func(ctx context.Context, e process.Env) int { return worker.Main(ctx, e, fetchers.Builtin()) })
}
