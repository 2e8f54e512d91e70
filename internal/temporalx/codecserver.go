package temporalx

import (
	"net/http"

	"go.temporal.io/sdk/converter"
)

// maxCodecBody limits a request to the codec server. The server keeps no larger payloads.
const maxCodecBody = 16 << 20

// CodecServer answers /encode and /decode as Temporal's Web UI and CLI ask. A browser is
// answered only if may accepts the origin of its page; a request without an origin is of
// a program. The error says why the keys cannot be used.
func CodecServer(keys Keys, may func(origin string) bool) (http.Handler, error) {
	c, err := NewCodec(keys)
	if err != nil {
		return nil, err
	}
	codec := converter.NewPayloadCodecHTTPHandler(c)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if !may(origin) {
				http.Error(w, "this origin may not ask; name it with --ui", http.StatusForbidden)
				return
			}
			allow(w.Header(), origin)
		}
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxCodecBody)
		codec.ServeHTTP(w, r)
	}), nil
}

// allow lets a page of an origin read the answer.
func allow(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, X-Namespace, Authorization")
	h.Add("Vary", "Origin")
}
