package campaigns

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
)

// Canonical returns what is stored as a definition: the same bytes for the same
// effective campaign, whatever the layout of its file. Pauses, former names, file and
// line are not included.
func (c Campaign) Canonical() (json.RawMessage, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write campaign %s as JSON: %w", c.Name, err)
	}
	canonical, err := canonicalJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("write campaign %s as JSON: %w", c.Name, err)
	}
	return canonical, nil
}

// Digest is the digest of Canonical, "sha256:…".
func (c Campaign) Digest() (string, error) {
	canonical, err := c.Canonical()
	if err != nil {
		return "", err
	}
	return harvest.Digest(canonical), nil
}

// written marks the rows of the campaign file itself.
func (s *Split) written() {
	if s == nil {
		return
	}
	for i := range s.Items {
		s.Items[i].Written = true
	}
}

// Decode reads the output of Canonical. It ignores unknown keys, which a newer release
// may have written. Numbers in Add are json.Number.
func Decode(spec json.RawMessage) (Campaign, error) {
	var c Campaign
	d := json.NewDecoder(bytes.NewReader(spec))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		return Campaign{}, fmt.Errorf("read a stored definition: %w", err)
	}
	for _, e := range c.Entries {
		e.Split.written()
	}
	return c, nil
}
