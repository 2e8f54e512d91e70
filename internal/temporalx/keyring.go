package temporalx

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Keys returns the text of a keyring: a line for each key, "ID KEY", where ID is a name of
// letters, digits, dots, hyphens and underscores and KEY is 32 bytes in base64. The first
// key encrypts, all decrypt. Empty lines and lines that begin with # are skipped; a comma
// may stand for a line break. It is called again while the process runs, so that keys can
// be rotated.
type Keys func() (string, error)

// keyID is the form of an ID.
var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// key encrypts and decrypts.
type key struct {
	id   string
	aead cipher.AEAD
}

// parseKeys reads a keyring. Its errors never show a key.
func parseKeys(text string) ([]key, error) {
	var keys []key
	for n, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' }) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		k, err := parseKey(line)
		if err != nil {
			return nil, fmt.Errorf("payload key %d: %w", n+1, err)
		}
		for _, other := range keys {
			if other.id == k.id {
				return nil, fmt.Errorf("payload key %d: %s is there twice; each key has an id of its own", n+1, k.id)
			}
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no payload key in it; write lines of an id and 32 bytes in base64")
	}
	return keys, nil
}

func parseKey(line string) (key, error) {
	parts := strings.Fields(line)
	if len(parts) != 2 || !keyID.MatchString(parts[0]) {
		return key{}, errors.New("it is not an id and a key; write an id of letters and digits, a blank and 32 bytes in base64")
	}
	raw, err := base64.StdEncoding.DecodeString(parts[1])
	if err != nil || len(raw) != 32 {
		return key{}, fmt.Errorf("%s is not 32 bytes in base64; make one: head -c 32 /dev/urandom | base64", parts[0])
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCM(block)
	return key{parts[0], aead}, err
}

// How old the keys in memory may be, and how soon they are read again for a key that is
// not among them.
const (
	keysFresh = 10 * time.Second
	keysSoon  = time.Second
)

// keyring holds the keys of a process. Keys that cannot be read again stay as they were.
// Safe for concurrent use.
type keyring struct {
	read Keys // nil: no keys

	mu   sync.Mutex
	keys []key
	at   time.Time
	err  error // of the last reading
}

// first is the key that encrypts.
func (r *keyring) first() (key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refresh(keysFresh); len(r.keys) == 0 {
		return key{}, &KeyError{Err: r.err}
	}
	return r.keys[0], nil
}

// find is the key of an id.
func (r *keyring) find(id string) (key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, age := range []time.Duration{keysFresh, keysSoon} {
		r.refresh(age)
		for _, k := range r.keys {
			if k.id == id {
				return k, nil
			}
		}
	}
	return key{}, &KeyError{ID: id, Err: r.err, None: r.read == nil, Have: ids(r.keys)}
}

func (r *keyring) refresh(age time.Duration) {
	if r.read == nil || !r.at.IsZero() && time.Since(r.at) < age {
		return
	}
	r.at = time.Now()
	var text string
	if text, r.err = r.read(); r.err != nil {
		return
	}
	var keys []key
	if keys, r.err = parseKeys(text); r.err == nil {
		r.keys = keys
	}
}

func ids(keys []key) (out []string) {
	for _, k := range keys {
		out = append(out, k.id)
	}
	return out
}

// KeyError is a payload that cannot be encrypted or decrypted with the keys of this
// process.
type KeyError struct {
	// ID is the key that is needed; empty: any.
	ID string
	// None: this process has no setting of keys; Have are the ids of those it has.
	None bool
	Have []string
	// Err is why the keys could not be read, or the payload not be opened; may be nil.
	Err error
}

// Error names the key that is needed and what to do.
func (e *KeyError) Error() string {
	switch {
	case e.None:
		return fmt.Sprintf("the payload is encrypted with key %s, and this process has no keys; set payload-keys (VENDEMMIA_PAYLOAD_KEYS) as for the other workers", e.ID)
	case e.ID == "":
		return fmt.Sprintf("the payload cannot be encrypted: %v; check the setting payload-keys", e.Err)
	case e.Err != nil && len(e.Have) == 0:
		return fmt.Sprintf("the payload is encrypted with key %s, and the keys cannot be read: %v; check the setting payload-keys", e.ID, e.Err)
	case e.Err != nil:
		return fmt.Sprintf("the payload cannot be decrypted with key %s: %v; another key has this id here, or the payload was changed", e.ID, e.Err)
	}
	return fmt.Sprintf("the payload is encrypted with key %s, and this process has %s; add that key to payload-keys, behind the first", e.ID, strings.Join(e.Have, ", "))
}

// Unwrap returns the cause.
func (e *KeyError) Unwrap() error { return e.Err }
