package exec

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// catalog is what the program is asked for: as the file says, else what it discovers.
func (r *reading) catalog() (json.RawMessage, error) {
	if r.params.Catalog != nil {
		r.keysOf(asJSON(r.params.Catalog))
		return asJSON(r.params.Catalog), nil
	}
	if r.params.protocol() == singer && len(r.params.Streams) == 0 {
		return nil, nil // a tap without a catalog reads what it likes
	}
	found, err := r.discover()
	if err != nil {
		return nil, err
	}
	chosen, err := r.choose(found)
	r.keysOf(chosen)
	return chosen, err
}

// discover asks the program for its streams.
func (r *reading) discover() (json.RawMessage, error) {
	p := r.prog
	if r.params.protocol() == airbyte {
		p.args = append(slices.Clone(p.args), "discover", "--config", r.config)
	} else {
		p.args = append(slices.Clone(p.args), "--config", r.config, "--discover")
	}
	var whole bytes.Buffer
	var found json.RawMessage
	stderr, err := p.run(r.ctx, func(line []byte) error {
		var m message
		if json.Unmarshal(line, &m) == nil && m.Type != "" && r.params.protocol() == airbyte {
			r.airbyte(&m)
			if len(m.Catalog) > 0 {
				found = m.Catalog
			}
			return nil
		}
		whole.Write(append(line, '\n')) // a catalog of Singer has several lines
		if whole.Len() > maxLine {
			return harvest.Errorf(harvest.KindBroken, "discover", r.params.Program, "its catalog is too long")
		}
		return nil
	})
	if err := r.judge(stderr, err); err != nil {
		return nil, err
	}
	if r.params.protocol() == singer {
		found = whole.Bytes()
	}
	if !json.Valid(found) {
		return nil, harvest.Errorf(harvest.KindBroken, "discover", r.params.Program, "what it wrote is no catalog")
	}
	return found, nil
}

type catalogs struct {
	Streams []map[string]any `json:"streams"`
}

// choose makes of what there is what is asked for.
func (r *reading) choose(found json.RawMessage) (json.RawMessage, error) {
	var all, out catalogs
	if json.Unmarshal(found, &all) != nil {
		return nil, harvest.Errorf(harvest.KindBroken, "discover", r.params.Program, "what it wrote is no catalog")
	}
	var names []string
	for _, s := range all.Streams {
		name, _ := s["name"].(string)
		if name == "" {
			name, _ = s["stream"].(string)
		}
		if names = append(names, name); len(r.params.Streams) > 0 && !slices.Contains(r.params.Streams, name) {
			continue
		}
		if r.params.protocol() == airbyte {
			out.Streams = append(out.Streams, configured(s))
		} else {
			out.Streams = append(out.Streams, selected(s))
		}
	}
	for _, name := range r.params.Streams {
		if !slices.Contains(names, name) {
			return nil, harvest.Errorf(harvest.KindMisconfigured, "choose streams", r.params.Program, "it has no stream %q, but %.300q", name, names)
		}
	}
	return asJSON(out), nil
}

// configured is a stream of Airbyte as it is asked for: incrementally where it can be.
func configured(s map[string]any) map[string]any {
	out := map[string]any{
		"stream": s, "sync_mode": "full_refresh", "destination_sync_mode": "append",
		"generation_id": 1, "minimum_generation_id": 0, "sync_id": 1,
	}
	modes, _ := s["supported_sync_modes"].([]any)
	if slices.Contains(modes, any("incremental")) {
		out["sync_mode"] = "incremental"
	}
	for from, to := range map[string]string{"default_cursor_field": "cursor_field", "source_defined_primary_key": "primary_key"} {
		if v, ok := s[from].([]any); ok && len(v) > 0 {
			out[to] = v
		}
	}
	return out
}

// selected is a stream of Singer as it is asked for: in the old way and in the new one.
func selected(s map[string]any) map[string]any {
	if schema, ok := s["schema"].(map[string]any); ok {
		schema["selected"] = true
	}
	list, _ := s["metadata"].([]any)
	root := false
	for _, entry := range list {
		m, _ := entry.(map[string]any)
		at, _ := m["breadcrumb"].([]any)
		values, _ := m["metadata"].(map[string]any)
		if len(at) == 0 && values != nil {
			values["selected"], root = true, true
		}
	}
	if !root {
		list = append(list, map[string]any{"breadcrumb": []any{}, "metadata": map[string]any{"selected": true}})
	}
	s["metadata"] = list
	return s
}

// keysOf notes the primary keys of a configured catalog of Airbyte; Singer's come with
// the schemas.
func (r *reading) keysOf(catalog json.RawMessage) {
	var c struct {
		Streams []struct {
			Stream struct {
				Name string     `json:"name"`
				Key  [][]string `json:"source_defined_primary_key"`
			} `json:"stream"`
			Key [][]string `json:"primary_key"`
		} `json:"streams"`
	}
	if r.params.protocol() != airbyte || json.Unmarshal(catalog, &c) != nil {
		return
	}
	for _, s := range c.Streams {
		key := s.Key
		if len(key) == 0 {
			key = s.Stream.Key
		}
		var names []string
		for _, path := range key {
			if len(path) == 1 { // of a member inside another there is no name
				names = append(names, path[0])
			}
		}
		if len(names) == len(key) {
			r.keys[s.Stream.Name] = names
		}
	}
}
