// Package harvest is what a fetcher is written against: the Fetcher interface and the
// optional ones beside it, requests, pages, documents and error kinds. Pump runs a
// fetcher and passes its pages to a Committer. The package does not depend on net/http,
// Temporal or a store.
package harvest
