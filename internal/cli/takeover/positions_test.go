package takeover

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadPositions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, wrong string
		want        []Position
	}{
		"comma":       {text: "item,from\na,2026-05-01\n", want: []Position{{"a", map[string]string{"from": "2026-05-01"}, 2}}},
		"semicolon":   {text: "\ufefffrom;item\r\n2026-05-01;a\r\n", want: []Position{{"a", map[string]string{"from": "2026-05-01"}, 2}}},
		"tab":         {text: "item\tfrom\ttoken\na\t\tx\n", want: []Position{{"a", map[string]string{"token": "x"}, 2}}},
		"nothing":     {text: "item,from\n"},
		"empty":       {wrong: "line 1: no header"},
		"no item":     {text: "from\n2026-05-01\n", wrong: "line 1: the header needs item"},
		"two columns": {text: "item,from,from\n", wrong: "line 1: column 3"},
		"no key":      {text: "item,from\na,1\n,2026-05-01\n", wrong: "line 3: no item"},
		"no position": {text: "item,from\na,\n", wrong: "line 2: item a has no position"},
		"twice":       {text: "item,from\na,1\n\na,2\n", wrong: "line 4: item a is also on line 2"},
		"too many":    {text: "item,from\na,1,2\n", wrong: "line 2: 3 cells"},
		"quotes":      {text: "item,from\n\"a,1\n", wrong: "line "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadPositions([]byte(c.text))
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func FuzzReadPositions(f *testing.F) {
	for _, seed := range []string{"item,from\na,2026-05-01\n", "item;from\n\"x;y\";1\n", "\ufeffitem\tfrom\n", "item,from\n\"", "item,from\na,1\r\nb,\"2\n3\"\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadPositions([]byte(text))
		if err != nil {
			if _, ok := errors.AsType[*LineError](err); !ok {
				t.Fatalf("no line: %v", err)
			}
			return
		}
		var again strings.Builder
		require.NoError(t, WritePositions(&again, list))
		back, err := ReadPositions([]byte(again.String()))
		require.NoError(t, err, again.String())
		require.Len(t, back, len(list))
		for i := range list {
			require.Equal(t, list[i].Item, back[i].Item)
			require.Equal(t, list[i].At, back[i].At)
		}
	})
}
