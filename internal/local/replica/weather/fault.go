package weather

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
)

// Fault answers in place of the services; right is what they would say.
type Fault func(w http.ResponseWriter, r *http.Request, right http.Handler)

// Break spoils every answer from now on; nil heals.
func (s *Service) Break(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Changed spoils the body of each answer.
func Changed(change func(body []byte) []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		w.Write(change(rec.Body.Bytes())) // the client may be gone
	}
}

// Refused answers as Open-Meteo does: a status and its reason.
func Refused(status int, reason string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refuse(w, status, reason) }
}

// Interrupted ends a good answer in the middle, with the service's own words.
func Interrupted() Fault {
	return Changed(func(body []byte) []byte {
		return append(body[:len(body)/2:len(body)/2], "Unexpected error while streaming data: timeoutReached"...)
	})
}

// Deprecated is the answer of a version that will end.
func Deprecated() Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		rec := httptest.NewRecorder()
		right.ServeHTTP(rec, r)
		w.WriteHeader(http.StatusNonAuthoritativeInfo)
		w.Write(rec.Body.Bytes()) // the client may be gone
	}
}

// Spoiled makes something that is no value of the n-th time of each list, so that
// it cannot be read; Short leaves out the last value of one variable.
func Spoiled(variable string, n int) Fault {
	return edit(func(list []json.RawMessage) []json.RawMessage {
		if n < len(list) {
			list[n] = json.RawMessage(`{"odd":true}`)
		}
		return list
	}, variable)
}

// Short leaves out the last value of a variable.
func Short(variable string) Fault {
	return edit(func(list []json.RawMessage) []json.RawMessage { return list[:len(list)-1] }, variable)
}

// Silent leaves the n-th time of each list without values.
func Silent(n int) Fault {
	return edit(func(list []json.RawMessage) []json.RawMessage {
		if n < len(list) {
			list[n] = json.RawMessage("null")
		}
		return list
	}, "")
}

// edit changes the hourly lists of a variable, or of all but the times.
func edit(change func([]json.RawMessage) []json.RawMessage, variable string) Fault {
	return Changed(func(body []byte) []byte {
		var list []map[string]json.RawMessage
		one := !bytes.HasPrefix(body, []byte("["))
		if one {
			body = []byte("[" + string(body) + "]")
		}
		if json.Unmarshal(body, &list) != nil {
			return body
		}
		for _, l := range list {
			hourly := map[string][]json.RawMessage{}
			json.Unmarshal(l["hourly"], &hourly) // it was made here
			for name := range hourly {
				if name == variable || variable == "" && name != "time" {
					hourly[name] = change(hourly[name])
				}
			}
			l["hourly"] = encode(hourly)
		}
		if one {
			return encode(list[0])
		}
		return encode(list)
	})
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // all of it is ours
		return []byte(err.Error())
	}
	return b
}
