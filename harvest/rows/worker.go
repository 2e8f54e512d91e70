package rows

import "time"

// WorkerState is what a worker does with new work.
type WorkerState string

// The states of a worker. Draining ones finish what they have, drained ones have
// finished it, full ones have too little memory left to take more.
const (
	WorkerStarting WorkerState = "starting"
	WorkerWorking  WorkerState = "working"
	WorkerFull     WorkerState = "full"
	WorkerDraining WorkerState = "draining"
	WorkerDrained  WorkerState = "drained"
	WorkerStopping WorkerState = "stopping"
)

// Worker is a process that takes work, as it reports itself.
type Worker struct {
	Identity string      `json:"identity"`
	Process  string      `json:"-"` // tells two processes of one identity apart
	Host     string      `json:"host"`
	Version  string      `json:"version"`
	Queues   []string    `json:"queues"` // whole names
	State    WorkerState `json:"state"`
	Why      string      `json:"why,omitempty"` // it takes nothing new
	Slots    int         `json:"slots"`         // items that it runs at once
	// MemoryLimit is what the process may use, MemoryMax above what it takes nothing
	// new, in bytes; 0: no such bound.
	MemoryLimit int64     `json:"memory_limit,omitempty"`
	MemoryMax   int64     `json:"memory_max,omitempty"`
	MemoryUsed  int64     `json:"memory_used,omitempty"`
	Started     time.Time `json:"started"`
	// Seen is when it reported last, by this process's clock.
	Seen time.Time `json:"seen"`
	// Gone: it has been silent for longer than it promised.
	Gone bool `json:"-"`
	// Drain is who asked it to take nothing new.
	Drain *Pause `json:"drain,omitempty"`
}

// Takes reports whether it takes new items.
func (w Worker) Takes() bool { return w.State == WorkerWorking }

// HeldItem is an item that a worker holds.
type HeldItem struct {
	Worker   string    `json:"worker"`
	Run      string    `json:"run"` // workflow id
	Campaign string    `json:"campaign"`
	Entry    string    `json:"entry"`
	Key      string    `json:"item"`
	Label    string    `json:"label,omitempty"`
	Queue    string    `json:"queue"`
	Since    time.Time `json:"since,omitzero"`
	Done     int64     `json:"done,omitempty"`
	Total    int64     `json:"total,omitempty"`
}
