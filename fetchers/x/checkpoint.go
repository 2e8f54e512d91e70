package x

import (
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// checkpoint is where an item goes on, and what it has read.
type checkpoint struct {
	// Made is the fingerprint of the params it was made with; User is the user's id.
	Made string `json:"made,omitempty"`
	User string `json:"user,omitempty"`
	// Since is the newest post that has been read with all before it.
	Since string `json:"since,omitempty"`
	// Poll is a way from the newest post back to Since that is not at its end.
	Poll *poll `json:"poll,omitempty"`
	// Spent outlives changes of params: it was paid for.
	Spent spent `json:"spent"`
}

// poll is the way back from Newest; what is older than Until is to be read. Read
// counts its posts.
type poll struct {
	Newest string `json:"newest"`
	Until  string `json:"until"`
	Read   int    `json:"read"`
	// Again reads what is known too.
	Again bool `json:"again,omitempty"`
}

// spent are posts and users that were read: in a month, and in the run under way.
type spent struct {
	Month string `json:"month,omitempty"`
	Reads int    `json:"reads,omitempty"`
	Run   int    `json:"run,omitempty"`
}

func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read(raw, checkpoint.sound) }

// sound reports a checkpoint that this fetcher can have written.
func (c checkpoint) sound() bool {
	p := c.Poll
	return (c.Since == "" || isID(c.Since)) && (c.User == "" || isID(c.User)) && c.Spent.Reads >= 0 && c.Spent.Run >= 0 &&
		(p == nil || isID(p.Newest) && isID(p.Until) && p.Read >= 0)
}

func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint. One of other params knows what was spent, and no more.
func restore(req harvest.Request, made string, now time.Time) checkpoint {
	c := readCheckpoint(req.Checkpoint)
	if !c.holds(made) {
		c = checkpoint{Made: made, Spent: c.Spent}
	}
	if c.Poll != nil && req.ForceRefresh && !c.Poll.Again {
		c.Poll = nil
	}
	c.Spent.begin(req.Attempt, now)
	return c
}

// begin counts a new month, and a new run, from zero; a retry goes on counting.
func (s *spent) begin(attempt int, now time.Time) {
	if month := now.UTC().Format("2006-01"); s.Month != month {
		s.Month, s.Reads = month, 0
	}
	if attempt <= 1 {
		s.Run = 0
	}
}

func (s *spent) add(reads int) { s.Reads, s.Run = s.Reads+reads, s.Run+reads }

func (c checkpoint) raw() json.RawMessage { return pages.Write(c) }

// Continues is harvest.Continuer: another user, query, exclude or url begins anew.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	return continues.Check(raw, before, now, Params.made, readCheckpoint(raw).holds, "the newest posts are read, as many as backlog says")
}
