package harvest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Item names a unit of work: one fetcher with one set of params. It lives
// across runs; its key is never a position.
type Item struct {
	Campaign string `json:"campaign"`
	Entry    string `json:"entry"`
	Key      string `json:"key"`
}

// String returns "campaign / entry / key", the checkpoint's name.
func (i Item) String() string { return i.Campaign + " / " + i.Entry + " / " + i.Key }

// Checkpoint is where an item goes on, with what guards it.
type Checkpoint struct {
	// Value is the fetcher's own JSON.
	Value json.RawMessage `json:"value"`
	// Version grows by one with every page; a commit names the one it read.
	Version int64 `json:"version"`
	// Params and Extraction are fingerprints: of the params and of what shapes
	// extraction. A change of the latter makes the next run read again.
	Params     string `json:"params,omitempty"`
	Extraction string `json:"extraction,omitempty"`
}

// Exchange is one line of the ledger: one HTTP exchange, what was asked and
// what came. URL carries no userinfo, and secret-looking query values are
// masked.
type Exchange struct {
	At     time.Time     `json:"at"`
	Method string        `json:"method"`
	URL    string        `json:"url"`
	Host   string        `json:"host"`
	Status int           `json:"status,omitempty"` // 0: no answer
	Bytes  int64         `json:"bytes,omitempty"`  // of the body, as transferred
	Took   time.Duration `json:"took"`
	Waited time.Duration `json:"waited,omitempty"` // for the host's turn
	// RetryAfter is what the source asked for; Kind and Error how it failed.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Kind       Kind          `json:"kind,omitempty"`
	Error      string        `json:"error,omitempty"`
	// Raw is the digest of the kept body, if any; Note a verdict (robots …).
	Raw  string `json:"raw,omitempty"`
	Note string `json:"note,omitempty"`
	// Page is which page of the Fetch it was made for; 0: see ForPage.
	Page int `json:"-"`
}

// Key makes an item's key from its params: the values of the identity params
// joined by a blank, or, where there is no identity or its first param is absent,
// a hash of the canonical params. The further ones may be absent.
func Key(params json.RawMessage, identity []string) (string, error) {
	var m map[string]any
	if len(params) > 0 {
		if err := json.Unmarshal(params, &m); err != nil {
			return "", fmt.Errorf("params are not a JSON object: %w", err)
		}
	}
	values := make([]string, 0, len(identity))
	for _, name := range identity {
		if v, ok := m[name]; ok && v != nil && v != "" {
			values = append(values, plain(v))
		}
	}
	if len(values) > 0 && m[identity[0]] != nil && m[identity[0]] != "" {
		return strings.Join(values, " "), nil
	}
	if m == nil {
		m = map[string]any{}
	}
	return Fingerprint(m)
}

// plain writes a value as people write it: numbers without an exponent.
func plain(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return ReplacePassword(fmt.Sprint(v), "") // a key is shown
}

// Fingerprint is a short digest of any JSON value, equal for equal meaning
// whatever the order of keys.
func Fingerprint(v any) (string, error) {
	b, err := json.Marshal(v) // sorts the keys of maps
	if err != nil {
		return "", fmt.Errorf("fingerprint: %w", err)
	}
	return Digest(b)[len("sha256:"):][:16], nil
}
