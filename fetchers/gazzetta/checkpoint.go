package gazzetta

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// key names an issue of a series: its day and number. Keys are in the order of
// publication.
type key struct {
	Day    string // 2026-06-13
	Number int
}

func (k key) String() string { return k.Day + "/" + strconv.Itoa(k.Number) }

// MarshalText is part of encoding.TextMarshaler.
func (k key) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, nil
	}
	return []byte(k.String()), nil
}

// UnmarshalText is part of encoding.TextUnmarshaler.
func (k *key) UnmarshalText(text []byte) error {
	day, number, _ := strings.Cut(string(text), "/")
	if len(text) == 0 {
		*k = key{}
		return nil
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return fmt.Errorf("issue %q: %w", text, err)
	}
	n, err := strconv.Atoi(number)
	*k = key{Day: day, Number: n}
	return err
}

// IsZero is for omitzero.
func (k key) IsZero() bool { return k == key{} }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.Day, o.Day), cmp.Compare(k.Number, o.Number))
}

func (k key) before(o key) bool { return k.compare(o) < 0 }

// startOf is before every issue of a day.
func startOf(day string) key { return key{Day: day} }

// dayBefore is after every issue of the days before.
func dayBefore(day time.Time) key { return startOf(day.Format(time.DateOnly)) }

// checkpoint is where an item goes on. It is small whatever the archive's size.
type checkpoint struct {
	// Made is the fingerprint of the params that decide what is read at all.
	Made string `json:"made,omitempty"`
	// Through: every issue up to this one has been read, or is among those that
	// Live will ask for again.
	Through key `json:"through,omitzero"`
	// Known are the issues of the list of thirty days that were read, or are
	// late: another one that shows up among them was loaded late.
	Known []key `json:"known,omitempty"`
	// Live is the walk of the schedule's runs, Aside one of a window or of
	// everything once more, while it is under way.
	Live  *walk `json:"live,omitempty"`
	Aside *walk `json:"aside,omitempty"`
}

// walk is a way through issues in the order of publication, leg by leg.
type walk struct {
	// From and Until are the days of a window; Again reads what is known.
	From  string `json:"from,omitempty"`
	Until string `json:"until,omitempty"`
	Again bool   `json:"again,omitempty"`
	Legs  []leg  `json:"legs,omitempty"`
	At    *place `json:"at,omitempty"`
	// Late are issues and acts that were not there when they were asked for.
	Late []late `json:"late,omitempty"`
	// Done counts issues that were read, Missing years that were not there.
	Done    int64 `json:"done,omitempty"`
	Missing int   `json:"missing,omitempty"`
}

// leg is a span of issues: those behind After up to To, a zero To being no end.
type leg struct {
	For   string `json:"for"` // what is new, known or late
	After key    `json:"after,omitzero"`
	To    key    `json:"to,omitzero"`
	// Act reads that act alone.
	Act string `json:"act,omitempty"`
	// Had: all of it was read before.
	Had bool `json:"had,omitempty"`
}

const (
	forNew   = "new"
	forKnown = "known"
	forLate  = "late"
)

// place is in the middle of an issue: so many acts are done, Act the last of
// them; of the act Within so many articles are.
type place struct {
	Issue    key    `json:"issue"`
	Acts     int    `json:"acts,omitempty"`
	Act      string `json:"act,omitempty"`
	Within   string `json:"within,omitempty"`
	Articles int    `json:"articles,omitempty"`
}

// late is an issue, or an act of it, to be asked for again; Had: it was read
// before.
type late struct {
	Issue key    `json:"issue"`
	Act   string `json:"act,omitempty"`
	Had   bool   `json:"had,omitempty"`
}

func (l late) leg() leg {
	return leg{For: forLate, After: key{l.Issue.Day, l.Issue.Number - 1}, To: l.Issue, Act: l.Act, Had: l.Had}
}

func legsOf(list []late) (legs []leg) {
	for _, l := range list {
		legs = append(legs, l.leg())
	}
	return legs
}

// made is what decides which issues are read and what becomes of them.
func (p Params) made() (string, error) {
	return harvest.Fingerprint(map[string]any{"series": seriesOf(p.Series).slug, "from": p.From, "pdf": p.PDF, "url": p.base()})
}

// readCheckpoint reads a checkpoint; one that this fetcher cannot have written is none.
func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read(raw, checkpoint.sound) }

func (c checkpoint) sound() bool { return c.Live.sound() && c.Aside.sound() }

// holds reports a checkpoint from which these params go on.
func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint. One of other params is as none.
func restore(raw json.RawMessage, made string) checkpoint {
	c := readCheckpoint(raw)
	if !c.holds(made) {
		c = checkpoint{}
	}
	c.Made = made
	return c
}

// sound reports a walk that this fetcher can have written.
func (w *walk) sound() bool {
	return w == nil || w.Done >= 0 && (w.At == nil || w.At.Acts >= 0 && w.At.Articles >= 0)
}

func (c checkpoint) raw() json.RawMessage { return pages.Write(c) }
