package visit

import (
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Exchange is one line of the ledger: an HTTP request and its response. URL has no
// userinfo, and query values that look like secrets are masked.
type Exchange struct {
	At     time.Time     `json:"at"`
	Method string        `json:"method"`
	URL    string        `json:"url"`
	Host   string        `json:"host"`
	Status int           `json:"status,omitempty"` // 0: no answer
	Bytes  int64         `json:"bytes,omitempty"`  // of the body, as transferred
	Took   time.Duration `json:"took"`
	Waited time.Duration `json:"waited,omitempty"` // for the rate limit of the host
	// RetryAfter is the wait that the source asked for; Kind and Error say why it failed.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Kind       harvest.Kind  `json:"kind,omitempty"`
	Error      string        `json:"error,omitempty"`
	// Raw is the digest of the stored body, if any; Note a remark (robots …).
	Raw  string `json:"raw,omitempty"`
	Note string `json:"note,omitempty"`
	// Page is the page of the fetch it belongs to, from harvest.PageOf.
	Page int `json:"-"`
}
