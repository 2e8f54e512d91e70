package rows

// Backup is what a backup wrote.
type Backup struct {
	Path  string `json:"path"`  // the copy of the database
	Bytes int64  `json:"bytes"` // of that copy
	Blobs int    `json:"blobs"` // files that were copied, those of before not counted
	// Removed are older copies that went.
	Removed []string `json:"removed,omitempty"`
}
