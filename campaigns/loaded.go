package campaigns

import "github.com/vendemmia/vendemmia/harvest"

// Lookup finds a fetcher by name or alias; its error names the nearest right
// name. It is called often and must be cheap.
type Lookup func(name string) (FetcherInfo, error)

// FetcherInfo is what the file format needs to know of a fetcher.
type FetcherInfo struct {
	Name string
	harvest.Description
	// Splitter says that the fetcher can be asked for its items (split.ask).
	Splitter bool
	// Exhaustive says that it lists everything its source holds when it starts
	// anew: only then are there full passes (refresh).
	Exhaustive bool
	// Continuer says which changes of params its checkpoints outlive; nil where
	// nobody knows.
	Continuer harvest.Continuer
}

// Loaded is what files say. When Problems is not empty nothing of it may be
// applied.
type Loaded struct {
	Project   string
	Files     []string // campaign files, in the order they were read
	Campaigns []Source // sorted by name
	Hosts     []Host   // sorted by name
	Problems  []Problem
	// NotYet are keys of hosts whose feature comes later; those of campaigns
	// are in their Source.
	NotYet []Problem
}

// Source is a campaign with where it came from.
type Source struct {
	Campaign Campaign
	File     string
	Line     int
	// Lists are the rows read from list files, by digest.
	Lists map[string][]Row
	// Origins tells every effective value with file and line.
	Origins []Origin
	// NotYet are keys that are read and checked, and whose feature comes later.
	NotYet []Problem
}

// Origin is one effective value and where it was said. File is empty for what
// is built in; secrets are masked.
type Origin struct {
	Path  string `json:"path"` // "schedule.every"
	Value string `json:"value"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}
