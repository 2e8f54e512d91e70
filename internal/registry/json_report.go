package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// jsonReports is the body of POST /reports, jsonTaken its answer.
type (
	jsonReports struct {
		Registry string   `json:"registry"`
		Reports  []Report `json:"reports"`
	}
	jsonTaken struct {
		Refused []struct {
			Job string `json:"job"`
			Why string `json:"why"`
		} `json:"refused"`
	}
)

// Report is part of Service. An answer without a body takes all.
func (s jsonService) Report(ctx context.Context, reports []Report) (map[string]string, error) {
	body, err := json.Marshal(jsonReports{Registry: s.registry, Reports: reports})
	if err != nil {
		return nil, fmt.Errorf("report to registry %s: %w", s.registry, err)
	}
	address := s.at("/reports", nil)
	r, err := s.exchange(ctx, http.MethodPost, address, http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}, body)
	if err != nil || len(r.body) == 0 {
		return nil, err
	}
	var taken jsonTaken
	if err := json.Unmarshal(r.body, &taken); err != nil {
		return nil, s.broken(address, r.body, "JSON", "the answer to the reports is not JSON: %v", err)
	}
	refused := map[string]string{}
	for _, one := range taken.Refused {
		refused[one.Job] = one.Why
	}
	return refused, nil
}
