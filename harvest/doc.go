// Package harvest is the ground floor: the nouns of acquisition (Request,
// Page, Document, Item, Outcome, error kinds), the Fetcher interface, the small
// Committer and the pump between the two. It needs the standard library only
// and knows nothing of HTTP, Temporal or any store.
package harvest
