package config

import (
	"net/netip"
	"time"
)

// Settings are the settings of a process. Load fills them; it is a value.
type Settings struct {
	// Store is "sqlite:/absolute/path" or another address of package store. It may
	// contain a password, which Values and Origin never show.
	Store string
	// StoreConnections is how many connections a process has to a server; a file has
	// none.
	StoreConnections int
	// Create makes a store if there is none.
	Create  bool
	Migrate string // auto, never

	Queues       []string // task queues of a worker, without the instance
	Control      bool     // a worker takes the short steps of all runs as well
	ItemSlots    int
	Memory       Memory
	Drain        time.Duration
	Heartbeat    time.Duration // after which a silent chunk counts as dead
	AllowNetwork []netip.Prefix
	MaxBody      int64 // bytes
	// SecretEnv are the variables, by name or pattern, and SecretDirs the folders of
	// files that references to secrets may name.
	SecretEnv  []string
	SecretDirs []string
	// ExecDirs are the folders whose programs may run.
	ExecDirs   []string
	HealthAddr string

	Instance string // begins the names of queues, schedules and runs
	Identity string // of this process
	Contact  string // of whoever runs this, where a campaign has no owner
	Product  string // begins the User-Agent

	LogLevel  string // debug, info, warn, error
	LogFormat string // text, json

	// Attributes maps our search attributes to their names on the server.
	Attributes map[string]string

	TemporalAddress   string
	TemporalNamespace string
	TemporalProfile   string
	TemporalConfig    string // a temporal.toml of one's own
	TemporalKeyFile   string // holds the API key; "" : the profile's, TEMPORAL_API_KEY
	// PayloadKeys is the reference to the keys that encrypt what Temporal keeps; empty:
	// plain text.
	PayloadKeys string
	// Deployment and Build name this worker's version for Temporal's worker
	// versioning; both are empty or both are set.
	Deployment, Build string

	values []Value
}

// Value is the effective value of one setting and its origin.
type Value struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // "--store", "VENDEMMIA_STORE", "file.yaml:3" or "default"
	Help   string `json:"help"`
}

// Values lists all settings, in the order of the help.
func (s Settings) Values() []Value { return s.values }

// Origin returns where a setting was set.
func (s Settings) Origin(name string) string {
	for _, v := range s.values {
		if v.Name == name {
			return v.Origin
		}
	}
	return ""
}

// Name is the name of a search attribute on the server: the mapped one, otherwise its
// own; "" if the mapping turns it off.
func (s Settings) Name(attribute string) string {
	if name, ok := s.Attributes[attribute]; ok {
		return name
	}
	return attribute
}
