package store

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Apply stores campaigns and hosts of a project: all of it, or nothing. A
// campaign gets a new version only when its digest differs from the current
// one's. Answers come in the order of a.Campaigns.
func (s *Store) Apply(ctx context.Context, a rows.Application) ([]rows.Applied, error) {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	var applied []rows.Applied
	err := s.writeLocked(ctx, lockOf(a), "apply", a.Project, func(t *tx) error {
		applied = make([]rows.Applied, 0, len(a.Campaigns))
		for _, c := range a.Campaigns {
			one, err := applyCampaign(t, a, c)
			if err != nil {
				return fmt.Errorf("campaign %s: %w", c.Name, err)
			}
			applied = append(applied, one)
		}
		return replaceHosts(t, a.Project, a.Hosts)
	})
	if err != nil {
		return nil, err
	}
	return applied, nil
}

// lockOf lets other processes write unless something gets another name. Two
// applications wait for each other: each version has its number, and a host is said
// once.
func lockOf(a rows.Application) lock {
	for _, c := range a.Campaigns {
		if len(c.Was)+len(c.WasEntry)+len(c.WasItem) > 0 {
			return lockExclusive
		}
	}
	return lock{name: "apply"}
}

func applyCampaign(t *tx, a rows.Application, c rows.ApplyCampaign) (rows.Applied, error) {
	moved, err := rename(t, c)
	if err != nil {
		return rows.Applied{}, err
	}
	version, changed, err := define(t, a, c)
	if err != nil {
		return rows.Applied{}, err
	}
	_, err = t.exec(`INSERT INTO campaigns (name, project, version) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET project = excluded.project, version = excluded.version, removed = 0`,
		c.Name, a.Project, version)
	return rows.Applied{Name: c.Name, Version: version, Changed: changed, Moved: moved}, err
}

// define adds a version when the digest is new.
func define(t *tx, a rows.Application, c rows.ApplyCampaign) (version int, changed bool, err error) {
	current, found, err := first(t, scanVersion, `SELECT version, digest FROM definitions WHERE campaign = ? ORDER BY version DESC LIMIT 1`, c.Name)
	if err != nil {
		return 0, false, err
	}
	if found && current.digest == c.Digest {
		return current.version, false, nil
	}
	_, err = t.exec(`INSERT INTO definitions (campaign, version, digest, spec, author, file, line, revision, applied_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.Name, current.version+1, c.Digest, string(c.Spec), a.Author, c.File, c.Line, c.Commit, micros(a.At))
	return current.version + 1, true, err
}

type versionDigest struct {
	version int
	digest  string
}

func scanVersion(s scanner) (v versionDigest, err error) { return v, s.Scan(&v.version, &v.digest) }
