// Package mir takes over what Mir starts: a crontab, and the documents with the fetchers of its campaigns.
package mir
