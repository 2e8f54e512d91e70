package store

import (
	"context"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// enter lets in a run that no other one of its campaign is in the way of, once its
// registry has a place for it; known is its row, if it has one. Until then it waits,
// whatever its overlap policy is.
func (s *Store) enter(t *tx, n rows.NewRun, known rows.Run) (rows.Gate, error) {
	place, err := s.bound(t, n.Campaign)
	switch {
	case err != nil:
		return rows.Gate{}, err
	case place.Max == 0 && known.ID == 0:
		return s.newRun(t, n, rows.RunOpening, nil)
	case place.Max == 0:
		return admit(t, known, n.AskedAt)
	case known.ID == 0:
		gate, err := s.newRun(t, n, rows.RunWaiting, nil)
		if err != nil {
			return gate, err
		}
		known = gate.Run
	}
	ahead, err := aheadOf(t, place, known)
	if err != nil || ahead != nil {
		return rows.Gate{Run: known, Holder: ahead, Place: &place}, err
	}
	return admit(t, known, n.AskedAt)
}

// boundOf finds the bound of a campaign's registry.
const boundOf = `SELECT name, max_running FROM registries WHERE CAST(? AS TEXT) || name = (SELECT project FROM campaigns WHERE name = ?)`

// bound is the bound of a campaign's registry; Max is 0 where there is none. It locks
// the registry's row: of two campaigns that ask at once, the second sees the first
// one's run.
func (s *Store) bound(t *tx, campaign string) (rows.Place, error) {
	place, _, err := first(t, scanPlace, s.engine.locked(boundOf, "registries"), rows.RegistryProject(""), campaign)
	return place, err
}

func scanPlace(s scanner) (p rows.Place, err error) { return p, s.Scan(&p.Registry, &p.Max) }

const ofRegistry = ` state <> 'closed' AND campaign IN (SELECT name FROM campaigns WHERE project = ?) `

// aheadOf is who a waiting run waits for: the run that has a place for longest, while
// all are taken, else the first in line; nil: it may begin.
func aheadOf(t *tx, place rows.Place, r rows.Run) (*rows.Run, error) {
	running, err := collect(t, scanRun, selectRun+`WHERE state IN ('opening', 'open') AND`+ofRegistry+`ORDER BY started_at, id`, rows.RegistryProject(place.Registry))
	if err != nil {
		return nil, err
	}
	if free := place.Max - len(running); free > 0 {
		line, err := lineOf(t, place.Registry, free)
		if err != nil || slices.ContainsFunc(line, func(one rows.Run) bool { return one.ID == r.ID }) {
			return nil, err
		}
		return &line[0], nil
	}
	return &running[0], nil
}

// lineOf are the runs that wait for a place of a registry, in order of due time. One
// that waits for another run of its own campaign is not in line.
func lineOf(q querier, registry string, most int) ([]rows.Run, error) {
	return collect(q, scanRun, `SELECT `+runColumns+` FROM
		(SELECT `+runColumns+`, exclusive, row_number() OVER (PARTITION BY campaign, lane, exclusive ORDER BY state = 'waiting', id) AS turn
			FROM runs WHERE`+ofRegistry+`) AS live
		WHERE state = 'waiting' AND (turn = 1 OR exclusive = 0)
		ORDER BY CASE WHEN due_at > 0 THEN due_at ELSE started_at END, id LIMIT ?`, rows.RegistryProject(registry), most)
}

const wholeLine = 1 << 30

// RegistryLine are the runs that wait because of a registry's bound, in the order in
// which they will begin; none where there is no bound.
func (s *Store) RegistryLine(ctx context.Context, registry string) ([]rows.Run, error) {
	r, err := s.Registry(ctx, registry)
	if err != nil || r.MaxRunning == 0 {
		return nil, err
	}
	line, err := lineOf(s.reader(ctx), registry, wholeLine)
	return line, fault("list who waits for registry", registry, err)
}

// PlaceInLine is what a run waits for; false: not for a place of its registry.
func (s *Store) PlaceInLine(ctx context.Context, run rows.Run) (place rows.Place, waits bool, err error) {
	if run.State != rows.RunWaiting {
		return place, false, nil
	}
	if place, err = s.Bound(ctx, run.Campaign); err != nil || place.Max == 0 {
		return place, false, err
	}
	line, err := lineOf(s.reader(ctx), place.Registry, wholeLine)
	place.Before = slices.IndexFunc(line, func(one rows.Run) bool { return one.ID == run.ID })
	return place, place.Before >= 0, fault("list who waits for registry", place.Registry, err)
}

// Bound is how many runs the registry of a campaign lets go on at once; Max is 0 where
// there is no bound.
func (s *Store) Bound(ctx context.Context, campaign string) (rows.Place, error) {
	place, _, err := first(s.reader(ctx), scanPlace, boundOf, rows.RegistryProject(""), campaign)
	return place, fault("find the registry of campaign", campaign, err)
}

// NextInLine are the runs that a registry with such a bound has a place for now.
func (s *Store) NextInLine(ctx context.Context, p rows.Place) ([]rows.Run, error) {
	if p.Max == 0 {
		return nil, nil
	}
	q := s.reader(ctx)
	running, err := number(q, `SELECT count(*) FROM runs WHERE state IN ('opening', 'open') AND`+ofRegistry, rows.RegistryProject(p.Registry))
	if err != nil || running >= int64(p.Max) {
		return nil, fault("count the runs of registry", p.Registry, err)
	}
	line, err := lineOf(q, p.Registry, p.Max-int(running))
	return line, fault("list who waits for registry", p.Registry, err)
}
