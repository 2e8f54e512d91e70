// Package worker puts the parts of a worker together with fx: settings, store,
// Temporal client, polite HTTP client, fetchers and health become one process
// that takes work until it is told to stop. It does not know the command line.
package worker
