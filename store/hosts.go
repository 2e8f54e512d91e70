package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// replaceHosts makes the project say exactly these hosts. A host that another
// project describes differently is refused: there is one truth per host.
func replaceHosts(t *tx, project string, hosts []rows.Host) error {
	change, err := nextHostChange(t)
	if err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE sequences SET value = ? WHERE name = 'host files'`, change); err != nil {
		return err
	}
	if _, err := t.exec(`DELETE FROM hosts WHERE project = ?`, project); err != nil {
		return err
	}
	for _, h := range hosts {
		if err := checkHost(t, project, h); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO hosts (project, name, every, connections, robots, ca, source) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (project, name) DO UPDATE SET every = excluded.every, connections = excluded.connections, robots = excluded.robots, ca = excluded.ca, source = excluded.source`,
			project, h.Name, h.Every.Microseconds(), h.Connections, h.Robots, h.CA, h.Source)
		if err != nil {
			return err
		}
	}
	return nil
}

func checkHost(t *tx, project string, h rows.Host) error {
	other, found, err := first(t, func(s scanner) (o rows.Host, err error) { return o, s.Scan(&o.Project, &o.Source) },
		`SELECT project, source FROM hosts WHERE name = ? AND project <> ? AND (every <> ? OR connections <> ? OR robots <> ? OR ca <> ?) LIMIT 1`,
		h.Name, project, h.Every.Microseconds(), h.Connections, h.Robots, h.CA)
	if err != nil || !found {
		return err
	}
	return refuse("apply host", h.Name, "say the same in both, or leave it out of one",
		"project %s (%s) says something else than %s", other.Project, other.Source, h.Source)
}

// Hosts returns the one truth about every host that a file names, that asked
// for rest, that is or was slowed, or that is paused, by name. RestUntil is by this
// process's clock, whatever the others' say.
func (s *Store) Hosts(ctx context.Context) ([]rows.Host, error) {
	list, err := s.hosts(ctx, 0)
	return list, fault("list hosts", "", err)
}

// HostsSince returns the hosts whose state changed after a number of changes, or
// all of them (after 0, or when the files said something about hosts since). It
// reads two numbers where nothing changed.
func (s *Store) HostsSince(ctx context.Context, after int64) (rows.HostChanges, error) {
	var c rows.HostChanges
	var files int64
	err := scanOne(s.reader(ctx), []any{&c.Last, &files}, `SELECT h.value, f.value FROM sequences h JOIN sequences f ON f.name = 'host files' WHERE h.name = 'hosts'`)
	if err != nil || c.Last == after {
		return c, fault("look for changes of hosts", "", err)
	}
	if c.All = after == 0 || files > after || c.Last < after; c.All {
		after = 0
	}
	c.Hosts, err = s.hosts(ctx, after)
	return c, fault("list hosts", "", err)
}

// hosts reads those whose state changed after a number of changes; 0: all.
func (s *Store) hosts(ctx context.Context, after int64) ([]rows.Host, error) {
	names, args := `SELECT name FROM hosts UNION SELECT name FROM host_states`, []any{}
	if after > 0 {
		names, args = `SELECT name FROM host_states WHERE changed > ?`, []any{after}
	}
	return collect(s.reader(ctx), scanHost, s.engine.timed(`
		WITH names AS (`+names+`),
		     told  AS (SELECT name, min(project) AS project FROM hosts WHERE name IN (SELECT name FROM names) GROUP BY name)
		SELECT n.name, coalesce(h.project, ''), coalesce(h.every, 0), coalesce(h.connections, 0), coalesce(h.robots, ''), coalesce(h.ca, ''), coalesce(h.source, ''),
		       coalesce(s.paused, ''), coalesce(s.rest_until, 0), coalesce(s.rest_why, ''),
		       coalesce(s.slow, 0), coalesce(s.slow_why, ''), coalesce(s.slow_since, 0), CASE WHEN s.delay_until > {now} THEN s.delay ELSE 0 END, {now}
		FROM names n LEFT JOIN told ON told.name = n.name LEFT JOIN hosts h ON h.name = n.name AND h.project = told.project
		     LEFT JOIN host_states s ON s.name = n.name
		ORDER BY n.name`), args...)
}

// nextHostChange counts a change of hosts. Others who count wait until the
// transaction is over, so that numbers come in the order of commits.
func nextHostChange(t *tx) (int64, error) {
	if _, err := t.exec(`UPDATE sequences SET value = value + 1 WHERE name = 'hosts'`); err != nil {
		return 0, err
	}
	return number(t, `SELECT value FROM sequences WHERE name = 'hosts'`)
}

// changeHost writes the state of one host, beside other writers, and counts that.
func (s *Store) changeHost(ctx context.Context, op, host string, fn func(*tx) error) error {
	return s.write(ctx, op, host, func(t *tx) error {
		change, err := nextHostChange(t)
		if err != nil {
			return err
		}
		if err := fn(t); err != nil {
			return err
		}
		_, err = t.exec(s.engine.timed(`UPDATE host_states SET changed = ?, changed_at = {now} WHERE name = ?`), change, host)
		return err
	})
}

func scanHost(s scanner) (rows.Host, error) {
	var h rows.Host
	var every, until, slow, since, delay, now int64
	var paused string
	err := s.Scan(&h.Name, &h.Project, &every, &h.Connections, &h.Robots, &h.CA, &h.Source, &paused, &until, &h.RestWhy,
		&slow, &h.SlowWhy, &since, &delay, &now)
	if err != nil {
		return h, err
	}
	h.Slow, h.SlowSince = time.Duration(slow)*time.Microsecond, moment(since)
	h.Every, h.Delay = time.Duration(every)*time.Microsecond, time.Duration(delay)*time.Microsecond
	if h.RestUntil = moment(until); until > 0 {
		h.RestUntil = h.RestUntil.Add(-skew(now))
	}
	h.Paused, err = readPause(paused)
	return h, err
}

// noSkew is what clocks may differ by without notice: asking takes its time too.
const noSkew = time.Second

// skew is by how much the database's clock, in microseconds, is ahead of this
// process's.
func skew(now int64) time.Duration {
	if ahead := time.Until(time.UnixMicro(now)); ahead.Abs() > noSkew {
		return ahead
	}
	return 0
}

// RestHost makes a host rest for all workers until a moment of this process's clock.
// A longer rest that is known already stays; a zero moment ends it.
func (s *Store) RestHost(ctx context.Context, host string, until time.Time, why string) error {
	return s.changeHost(ctx, "rest host", host, func(t *tx) error {
		now, _, err := first(t, func(s scanner) (now int64, err error) { return now, s.Scan(&now) }, s.engine.timed(`SELECT {now}`))
		if err != nil {
			return err
		}
		if !until.IsZero() {
			until = until.Add(skew(now))
		}
		_, err = t.exec(`INSERT INTO host_states (name, rest_until, rest_why) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET rest_until = excluded.rest_until, rest_why = excluded.rest_why
			WHERE excluded.rest_until = 0 OR excluded.rest_until > host_states.rest_until`, host, micros(until), why)
		return err
	})
}

// SlowHost makes all workers keep at least this gap to a host; 0 ends it. A host
// that is slow already stays so since it began, by the database's clock.
func (s *Store) SlowHost(ctx context.Context, host string, gap time.Duration, why string) error {
	if gap <= 0 {
		gap, why = 0, ""
	}
	return s.changeHost(ctx, "slow host", host, func(t *tx) error {
		_, err := t.exec(s.engine.timed(slowHost), host, gap.Microseconds(), why, gap > 0)
		return err
	})
}

const slowHost = `INSERT INTO host_states (name, slow, slow_why, slow_since) VALUES (?1, ?2, ?3, CASE WHEN ?4 = 1 THEN {now} ELSE 0 END)
	ON CONFLICT (name) DO UPDATE SET slow = excluded.slow, slow_why = excluded.slow_why,
	slow_since = CASE WHEN excluded.slow > 0 AND host_states.slow > 0 THEN host_states.slow_since ELSE excluded.slow_since END`

// DelayHost makes all workers keep the gap that the host's robots.txt asks for, for
// so long by the database's clock. A longer one that holds already stays.
func (s *Store) DelayHost(ctx context.Context, host string, gap, keep time.Duration) error {
	return s.changeHost(ctx, "delay host", host, func(t *tx) error {
		_, err := t.exec(s.engine.timed(delayHost), host, gap.Microseconds(), keep.Microseconds())
		return err
	})
}

const delayHost = `INSERT INTO host_states (name, delay, delay_until) VALUES (?1, ?2, {now} + ?3)
	ON CONFLICT (name) DO UPDATE SET delay = excluded.delay, delay_until = excluded.delay_until
	WHERE excluded.delay >= host_states.delay OR host_states.delay_until <= {now}`

// PauseHost keeps who paused a host, when and why; nil resumes it.
func (s *Store) PauseHost(ctx context.Context, host string, p *rows.Pause) error {
	return s.changeHost(ctx, "pause host", host, func(t *tx) error {
		_, err := t.exec(`INSERT INTO host_states (name, paused) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET paused = excluded.paused`, host, pauseText(p))
		return err
	})
}
