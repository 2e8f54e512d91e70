package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/units"
)

const definitionColumns = `d.campaign, d.version, d.digest, d.spec, d.author, d.file, d.line, d.revision, d.applied_at`

func definitionInto(d *rows.Definition, spec *string, applied *int64) []any {
	return []any{&d.Campaign, &d.Version, &d.Digest, spec, &d.Author, &d.File, &d.Line, &d.Commit, applied}
}

func scanDefinition(s scanner) (rows.Definition, error) {
	var d rows.Definition
	var spec string
	var applied int64
	err := s.Scan(definitionInto(&d, &spec, &applied)...)
	d.Spec, d.AppliedAt = raw(spec), moment(applied)
	return d, err
}

func scanCampaign(s scanner) (rows.Campaign, error) {
	var c rows.Campaign
	var spec, paused string
	var applied, removed int64
	into := append([]any{&c.Name, &c.Project, &paused, &removed}, definitionInto(&c.Definition, &spec, &applied)...)
	if err := s.Scan(into...); err != nil {
		return c, err
	}
	c.Definition.Spec, c.Definition.AppliedAt, c.Removed = raw(spec), moment(applied), moment(removed)
	var err error
	c.Paused, err = readPause(paused)
	return c, err
}

const selectCampaigns = `SELECT c.name, c.project, c.paused, c.removed, ` + definitionColumns + `
	FROM campaigns c JOIN definitions d ON d.campaign = c.name AND d.version = c.version `

// Campaigns lists campaigns by name, of one project or (project "") of all;
// removed ones only when asked for.
func (s *Store) Campaigns(ctx context.Context, project string, removed bool) ([]rows.Campaign, error) {
	list, err := collect(s.reader(ctx), scanCampaign, selectCampaigns+`WHERE (? = '' OR c.project = ?) AND (? = 1 OR c.removed = 0) ORDER BY c.name`, project, project, removed)
	return list, fault("list campaigns", project, err)
}

// Campaign returns one campaign, removed or not, or rows.ErrNotFound.
func (s *Store) Campaign(ctx context.Context, name string) (rows.Campaign, error) {
	c, found, err := first(s.reader(ctx), scanCampaign, selectCampaigns+`WHERE c.name = ?`, name)
	if err == nil && !found {
		return c, notFound("campaign %s", name)
	}
	return c, fault("read campaign", name, err)
}

// Definition returns a version of a campaign (0: the current one), or
// rows.ErrNotFound.
func (s *Store) Definition(ctx context.Context, campaign string, version int) (rows.Definition, error) {
	d, found, err := first(s.reader(ctx), scanDefinition, `SELECT `+definitionColumns+` FROM definitions d
		WHERE d.campaign = ? AND d.version = CASE WHEN ? > 0 THEN ? ELSE (SELECT version FROM campaigns WHERE name = ?) END`,
		campaign, version, version, campaign)
	if err == nil && !found {
		return d, notFound("definition %s", rows.Ref(campaign, version))
	}
	return d, fault("read definition", rows.Ref(campaign, version), err)
}

// Definitions lists all versions of a campaign, the newest first.
func (s *Store) Definitions(ctx context.Context, campaign string) ([]rows.Definition, error) {
	list, err := collect(s.reader(ctx), scanDefinition, `SELECT `+definitionColumns+` FROM definitions d WHERE d.campaign = ? ORDER BY d.version DESC`, campaign)
	return list, fault("list definitions", campaign, err)
}

// RemoveCampaigns marks campaigns as removed and notes who did it; documents,
// checkpoints and runs stay. Removing twice is harmless; an unknown name is
// rows.ErrNotFound, and then nothing was removed.
func (s *Store) RemoveCampaigns(ctx context.Context, names []string, by string) error {
	now := time.Now()
	return s.write(ctx, "remove campaigns", "", func(t *tx) error {
		for _, name := range names {
			n, err := t.exec(`UPDATE campaigns SET removed = CASE WHEN removed = 0 THEN ? ELSE removed END WHERE name = ?`, micros(now), name)
			if err != nil {
				return err
			}
			if n == 0 {
				return notFound("campaign %s", name)
			}
			if err := record(t, rows.Event{At: now, By: by, Verb: "remove", On: name}); err != nil {
				return err
			}
		}
		return nil
	})
}

// PauseCampaign keeps who paused a campaign, when and why; nil resumes it.
func (s *Store) PauseCampaign(ctx context.Context, name string, p *rows.Pause) error {
	return s.write(ctx, "pause campaign", name, func(t *tx) error {
		n, err := t.exec(`UPDATE campaigns SET paused = ? WHERE name = ?`, pauseText(p), name)
		if err == nil && n == 0 {
			return notFound("campaign %s", name)
		}
		return err
	})
}

// PauseItem keeps who paused an item, when and why; nil resumes it. An item
// that never ran may be paused beforehand.
func (s *Store) PauseItem(ctx context.Context, item units.Item, p *rows.Pause) error {
	return s.write(ctx, "pause item", item.String(), func(t *tx) error {
		id, err := itemID(t, item)
		if err != nil {
			return err
		}
		_, err = t.exec(`UPDATE items SET paused = ? WHERE id = ?`, pauseText(p), id)
		return err
	})
}

const selectItem = `SELECT id FROM items WHERE campaign = ? AND entry = ? AND key = ?`

// itemID finds an item's number, or gives it one.
func itemID(t *tx, item units.Item) (int64, error) {
	id, err := number(t, selectItem, item.Campaign, item.Entry, item.Key)
	if err != nil || id != 0 {
		return id, err
	}
	if _, err := t.exec(`INSERT INTO items (campaign, entry, key, first_seen) VALUES (?, ?, ?, ?) ON CONFLICT (campaign, entry, key) DO NOTHING`,
		item.Campaign, item.Entry, item.Key, micros(time.Now())); err != nil {
		return 0, err
	}
	return number(t, selectItem, item.Campaign, item.Entry, item.Key)
}
