package instagram

import "encoding/json"

// edge is a list of things, page by page.
type edge struct {
	Data   []json.RawMessage `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"`
	} `json:"paging"`
}

// discovery is the answer on another account: its list has no address of a next page.
type discovery struct {
	Found *struct {
		Media *edge `json:"media"`
	} `json:"business_discovery"`
}

// post is one medium, or an album of them.
type post struct {
	ID        string `json:"id"`
	Caption   string `json:"caption"`
	Type      string `json:"media_type"`
	URL       string `json:"media_url"`
	Permalink string `json:"permalink"`
	Time      string `json:"timestamp"`
	Username  string `json:"username"`
	Children  struct {
		Data []post `json:"data"`
	} `json:"children"`
}

// fault is what the API says in place of an answer.
type fault struct {
	Error *struct {
		Message   string `json:"message"`
		Code      int    `json:"code"`
		Subcode   int    `json:"error_subcode"`
		Transient bool   `json:"is_transient"`
	} `json:"error"`
}

// usage is a share of what is allowed, in per cent, and in how many minutes there is
// more.
type usage struct {
	Calls   float64 `json:"call_count"`
	CPU     float64 `json:"total_cputime"`
	Time    float64 `json:"total_time"`
	Minutes float64 `json:"estimated_time_to_regain_access"`
}
