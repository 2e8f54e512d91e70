package harvest

// Tally counts the results of an item or a run.
type Tally struct {
	Pages       int   `json:"pages,omitempty"`
	Listed      int   `json:"listed,omitempty"`
	New         int   `json:"new,omitempty"`
	Changed     int   `json:"changed,omitempty"`
	Same        int   `json:"same,omitempty"`
	Deleted     int   `json:"deleted,omitempty"`
	Quarantined int   `json:"quarantined,omitempty"`
	Asked       int   `json:"asked,omitempty"`
	Bytes       int64 `json:"bytes,omitempty"`
	// NotModified is true if every page was; Partial if any page was.
	NotModified bool `json:"not_modified,omitempty"`
	Partial     bool `json:"partial,omitempty"`
}

// Add returns the sum of two tallies.
func (t Tally) Add(o Tally) Tally {
	return Tally{
		Pages: t.Pages + o.Pages, Listed: t.Listed + o.Listed, New: t.New + o.New, Changed: t.Changed + o.Changed,
		Same: t.Same + o.Same, Deleted: t.Deleted + o.Deleted, Quarantined: t.Quarantined + o.Quarantined,
		Asked: t.Asked + o.Asked, Bytes: t.Bytes + o.Bytes,
		NotModified: t.Pages+o.Pages > 0 && (t.NotModified || t.Pages == 0) && (o.NotModified || o.Pages == 0),
		Partial:     t.Partial || o.Partial,
	}
}

// Documents returns the number of new, changed and deleted documents.
func (t Tally) Documents() int { return t.New + t.Changed + t.Deleted }
