package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

const registryColumns = `name, url, format, every, header, max_running, paused, added_at, added_by, etag, modified, asked_at, listed_at, error, warning, accepted`

func scanRegistry(s scanner) (r rows.Registry, err error) {
	var every, added, asked, listed int64
	var paused string
	if err = s.Scan(&r.Name, &r.URL, &r.Format, &every, &r.Header, &r.MaxRunning, &paused, &added, &r.AddedBy,
		&r.ETag, &r.Modified, &asked, &listed, &r.Error, &r.Warning, &r.Accepted); err != nil {
		return r, err
	}
	r.Every = time.Duration(every) * time.Microsecond
	r.AddedAt, r.AskedAt, r.ListedAt = moment(added), moment(asked), moment(listed)
	r.Paused, err = readPause(paused)
	return r, err
}

// Registries lists the registries by name.
func (s *Store) Registries(ctx context.Context) ([]rows.Registry, error) {
	list, err := collect(s.reader(ctx), scanRegistry, `SELECT `+registryColumns+` FROM registries ORDER BY name`)
	return list, fault("list registries", "", err)
}

// Registry returns one registry, or rows.ErrNotFound.
func (s *Store) Registry(ctx context.Context, name string) (rows.Registry, error) {
	r, found, err := first(s.reader(ctx), scanRegistry, `SELECT `+registryColumns+` FROM registries WHERE name = ?`, name)
	if err == nil && !found {
		return r, notFound("registry %s", name)
	}
	return r, fault("read registry", name, err)
}

// PutRegistry adds a registry, or changes what people say of one that is there:
// what came of asking it stays, unless it is another address now: another service's
// marks of a change mean nothing here.
func (s *Store) PutRegistry(ctx context.Context, r rows.Registry) error {
	return s.write(ctx, "keep registry", r.Name, func(t *tx) error {
		if _, err := t.exec(`UPDATE registry_jobs SET stamp = '' WHERE registry = ? AND EXISTS (SELECT 1 FROM registries WHERE name = ? AND (url <> ? OR format <> ?))`,
			r.Name, r.Name, r.URL, r.Format); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO registries (name, url, format, every, header, max_running, added_at, added_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET
				etag = CASE WHEN registries.url = excluded.url AND registries.format = excluded.format THEN registries.etag ELSE '' END,
				modified = CASE WHEN registries.url = excluded.url AND registries.format = excluded.format THEN registries.modified ELSE '' END,
				url = excluded.url, format = excluded.format, every = excluded.every, header = excluded.header, max_running = excluded.max_running`,
			r.Name, r.URL, r.Format, r.Every.Microseconds(), r.Header, r.MaxRunning, micros(r.AddedAt), r.AddedBy)
		return err
	})
}

// NoteRegistry keeps what came of asking a registry.
func (s *Store) NoteRegistry(ctx context.Context, name string, l rows.RegistryLooks) error {
	return s.changeRegistry(ctx, "note registry", name, `UPDATE registries SET etag = ?, modified = ?, asked_at = ?, listed_at = ?, error = ?, warning = ?, accepted = ? WHERE name = ?`,
		l.ETag, l.Modified, micros(l.AskedAt), micros(l.ListedAt), l.Error, l.Warning, l.Accepted, name)
}

// PauseRegistry keeps who paused a registry, when and why; nil resumes it.
func (s *Store) PauseRegistry(ctx context.Context, name string, p *rows.Pause) error {
	return s.changeRegistry(ctx, "pause registry", name, `UPDATE registries SET paused = ? WHERE name = ?`, pauseText(p), name)
}

func (s *Store) changeRegistry(ctx context.Context, op, name, update string, args ...any) error {
	return s.write(ctx, op, name, func(t *tx) error {
		n, err := t.exec(update, args...)
		if err == nil && n == 0 {
			return notFound("registry %s", name)
		}
		return err
	})
}

// HoldRegistry lets one holder at a time sync a registry: it reports whether holder
// has it from now on for so long. The same holder asks again to go on; length 0 lets
// it go.
func (s *Store) HoldRegistry(ctx context.Context, name, holder string, now time.Time, length time.Duration) (held bool, err error) {
	err = s.write(ctx, "hold registry", name, func(t *tx) error {
		n, err := t.exec(`UPDATE registries SET holder = ?, held_until = ? WHERE name = ? AND (holder = ? OR held_until <= ?)`,
			holder, micros(now.Add(length)), name, holder, micros(now))
		held = n > 0
		return err
	})
	return held, err
}

// RemoveRegistry forgets a registry and its jobs; campaigns stay as they are.
func (s *Store) RemoveRegistry(ctx context.Context, name string) error {
	return s.write(ctx, "remove registry", name, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM registry_jobs WHERE registry = ?`, name); err != nil {
			return err
		}
		n, err := t.exec(`DELETE FROM registries WHERE name = ?`, name)
		if err == nil && n == 0 {
			return notFound("registry %s", name)
		}
		return err
	})
}

const jobColumns = `registry, id, campaign, state, spec, listed, applied, missing, problem, stamp, ran, stopped, again, reported, reported_at, sequence, refused`

func scanJob(s scanner) (j rows.RegistryJob, err error) {
	var spec string
	var reported int64
	err = s.Scan(&j.Registry, &j.ID, &j.Campaign, &j.State, &spec, &j.Listed, &j.Applied, &j.Missing, &j.Problem, &j.Stamp, &j.Ran, &j.Stopped, &j.Again,
		&j.Reported, &reported, &j.Sequence, &j.Refused)
	j.Spec, j.ReportedAt = raw(spec), moment(reported)
	return j, err
}

// RegistryJobs lists the jobs of a registry by id, removed ones among them.
func (s *Store) RegistryJobs(ctx context.Context, registry string) ([]rows.RegistryJob, error) {
	list, err := collect(s.reader(ctx), scanJob, `SELECT `+jobColumns+` FROM registry_jobs WHERE registry = ? ORDER BY id`, registry)
	return list, fault("list jobs of registry", registry, err)
}

// SaveRegistryJobs keeps jobs as they are given, in one transaction.
func (s *Store) SaveRegistryJobs(ctx context.Context, list []rows.RegistryJob) error {
	return s.write(ctx, "keep registry jobs", "", func(t *tx) error {
		for _, j := range list {
			if err := saveJob(t, j); err != nil {
				return err
			}
		}
		return nil
	})
}

func saveJob(t *tx, j rows.RegistryJob) error {
	_, err := t.exec(`INSERT INTO registry_jobs (`+jobColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (registry, id) DO UPDATE SET campaign = excluded.campaign, state = excluded.state, spec = excluded.spec, listed = excluded.listed,
			applied = excluded.applied, missing = excluded.missing, problem = excluded.problem, stamp = excluded.stamp, ran = excluded.ran, stopped = excluded.stopped, again = excluded.again,
			reported = excluded.reported, reported_at = excluded.reported_at, sequence = excluded.sequence, refused = excluded.refused`,
		j.Registry, j.ID, j.Campaign, string(j.State), string(j.Spec), j.Listed, j.Applied, j.Missing, j.Problem, j.Stamp, j.Ran, j.Stopped, j.Again,
		j.Reported, micros(j.ReportedAt), j.Sequence, j.Refused)
	return err
}

// RegistryRuns are, by campaign, the run that is going on or waiting and the last one
// that did work and has ended, of all campaigns of a registry. Tallies of those that go on
// are left empty.
func (s *Store) RegistryRuns(ctx context.Context, registry string) (open, last map[string]rows.Run, err error) {
	const campaigns = `SELECT name FROM campaigns WHERE project = ?`
	project := rows.RegistryProject(registry)
	if open, err = s.runsByCampaign(ctx, `campaign IN (`+campaigns+`) AND lane = '' AND state <> 'closed' ORDER BY id DESC`, project); err != nil {
		return nil, nil, fault("list open runs of registry", registry, err)
	}
	last, err = s.runsByCampaign(ctx, `id IN (SELECT max(id) FROM runs WHERE campaign IN (`+campaigns+`) AND lane = '' AND state = 'closed' AND recorded = 0 AND cleaned = 0 GROUP BY campaign)`, project)
	return open, last, fault("list last runs of registry", registry, err)
}

// runsByCampaign: of several, the last in the query's order stays, which is the oldest
// that is open: the others wait for it.
func (s *Store) runsByCampaign(ctx context.Context, where string, args ...any) (map[string]rows.Run, error) {
	list, err := collect(s.reader(ctx), scanRun, `SELECT `+runColumns+` FROM runs WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	out := make(map[string]rows.Run, len(list))
	for _, r := range list {
		out[r.Campaign] = r
	}
	return out, nil
}
