package exec

import (
	"encoding/json"
	"slices"

	"github.com/vendemmia/vendemmia/fetchers/internal/continues"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// checkpoint is where a program goes on: what it said last, behind the records before.
type checkpoint struct {
	Made string `json:"made,omitempty"`
	// State is the program's own; of Airbyte the messages, one for each stream.
	State json.RawMessage `json:"state,omitempty"`
}

func readCheckpoint(raw json.RawMessage) checkpoint { return pages.Read[checkpoint](raw, nil) }

func (c checkpoint) holds(made string) bool { return c.Made == made }

// restore reads a checkpoint; one of other params is as none, and everything is asked for
// without one.
func restore(req harvest.Request, made string) checkpoint {
	c := readCheckpoint(req.Checkpoint)
	if !c.holds(made) || req.ForceRefresh || string(c.State) == "null" {
		return checkpoint{Made: made}
	}
	return c
}

// Continues is harvest.Continuer.
func (f *Fetcher) Continues(raw, before, now json.RawMessage) (bool, string) {
	return continues.Check(raw, before, now, Params.made, readCheckpoint(raw).holds, "the program begins without its state")
}

// airbyteState is one message of a state.
type airbyteState struct {
	Type   string `json:"type"`
	Stream struct {
		Name struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"stream_descriptor"`
	} `json:"stream"`
	Data json.RawMessage `json:"data"`
}

// airbyteNext is the state after a message: of streams the newest of each, else the
// message alone.
func airbyteNext(had json.RawMessage, message json.RawMessage) (json.RawMessage, bool) {
	var now airbyteState
	if json.Unmarshal(message, &now) != nil {
		return had, false
	}
	if now.Type != "STREAM" {
		return asJSON([]json.RawMessage{message}), now.Type == "GLOBAL" || len(now.Data) > 0
	}
	var list []json.RawMessage
	if json.Unmarshal(had, &list) != nil {
		list = nil
	}
	list = slices.DeleteFunc(list, func(raw json.RawMessage) bool {
		var old airbyteState
		return json.Unmarshal(raw, &old) != nil || old.Type != "STREAM" || old.Stream.Name == now.Stream.Name
	})
	return asJSON(append(list, message)), now.Stream.Name.Name != ""
}

// airbyteFile is the state as a connector wants it: of the old kind the data alone.
func airbyteFile(state json.RawMessage) json.RawMessage {
	var list []airbyteState
	if json.Unmarshal(state, &list) == nil && len(list) == 1 && len(list[0].Data) > 0 {
		return list[0].Data
	}
	return state
}
