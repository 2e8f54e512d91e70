package harvest

import "context"

type pageKey struct{}

// ForPage marks requests made with the returned context as part of the n-th page that
// this Fetch yields, counted from 1. It is for a fetcher that requests parts of the
// next page while one is being committed: the ledger then records these requests with
// their own page. Unmarked requests are recorded with the page committed next.
func ForPage(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, pageKey{}, n)
}

// PageOf returns the page set by ForPage, or 0.
func PageOf(ctx context.Context) int {
	n, _ := ctx.Value(pageKey{}).(int)
	return n
}
