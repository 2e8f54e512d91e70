// Package lists reads the files that hold an entry's items: CSV, JSON Lines,
// JSON and OPML. It knows rows, columns and lines, and nothing of fetchers.
package lists
