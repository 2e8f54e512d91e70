package exec

import (
	"encoding/json"
	"time"
)

// message is a line of any of the protocols.
type message struct {
	Type string `json:"type"`

	// ours
	Document
	Value       json.RawMessage `json:"value"` // of a checkpoint, or of Singer's STATE
	Same        int             `json:"same"`
	NotModified bool            `json:"not_modified"`
	Message     string          `json:"message"`
	ErrorKind   string          `json:"error"`
	RetryAfter  float64         `json:"retry_after"`

	// Singer
	Stream string          `json:"stream"`
	Keys   []string        `json:"key_properties"`
	Record json.RawMessage `json:"record"` // Airbyte's too

	// Airbyte
	State   json.RawMessage `json:"state"`
	Log     *airbyteLog     `json:"log"`
	Trace   *airbyteTrace   `json:"trace"`
	Control *airbyteControl `json:"control"`
	Catalog json.RawMessage `json:"catalog"`
	Status  airbyteStatus   `json:"connectionStatus"`
}

// Document is a document as programs of ours write it.
type Document struct {
	ID        string         `json:"id"`
	Kind      string         `json:"kind"`
	Title     string         `json:"title"`
	URL       string         `json:"url"`
	Published string         `json:"published"`
	Deleted   bool           `json:"deleted"`
	Parent    string         `json:"parent"`
	MediaType string         `json:"media_type"`
	Body      string         `json:"body"`
	Fields    map[string]any `json:"fields"`
}

type airbyteRecord struct {
	Stream    string          `json:"stream"`
	Namespace string          `json:"namespace"`
	Data      json.RawMessage `json:"data"`
}

type airbyteLog struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

type airbyteTrace struct {
	Type  string `json:"type"`
	Error struct {
		Message  string `json:"message"`
		Internal string `json:"internal_message"`
		Failure  string `json:"failure_type"`
	} `json:"error"`
	Status struct {
		Name struct {
			Name string `json:"name"`
		} `json:"stream_descriptor"`
		Status  string `json:"status"`
		Reasons []struct {
			Type        string `json:"type"`
			RateLimited struct {
				Reset float64 `json:"quota_reset"` // Unix milliseconds
			} `json:"rate_limited"`
		} `json:"reasons"`
	} `json:"stream_status"`
}

type airbyteStatus struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type airbyteControl struct {
	Config struct {
		Config json.RawMessage `json:"config"`
	} `json:"connectorConfig"`
}

// wait is seconds as a time that ends.
func wait(seconds float64) time.Duration {
	const most = 32 * 24 * 3600
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, most) * float64(time.Second))
}
