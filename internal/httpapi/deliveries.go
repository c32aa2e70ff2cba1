package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"fieldlift"
	"fieldlift/api"
)

const (
	usualDeliveries = 20
	// mostShown bounds how much of a request's body a list shows.
	mostShown = 16 << 10
)

func (s *Server) listDeliveries(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	query, err := readQuery(r)
	if err != nil {
		return err
	}
	webhook, err := s.findWebhook(r, c)
	if err != nil {
		return err
	}
	status, err := readDeliveryStatus(query)
	if err != nil {
		return err
	}
	scope := fmt.Sprintf("deliveries %s %q", webhook.ID, status)
	page, err := readPage(query, usualDeliveries, scope, fieldlift.DeliveryPrefix)
	if err != nil {
		return err
	}
	records, more, err := s.Store.Deliveries(r.Context(), webhook.ID, status, page)
	if err != nil {
		return err
	}
	list := api.DeliveryList{Deliveries: make([]api.Delivery, 0, len(records))}
	var last fieldlift.Cursor
	for _, record := range records {
		shown, err := s.wireDelivery(r.Context(), record)
		if err != nil {
			return err
		}
		list.Deliveries = append(list.Deliveries, shown)
		last = fieldlift.Cursor{At: record.Delivery.CreatedAt, ID: record.Delivery.ID}
	}
	list.Pagination = pagination(page, more, last, scope)
	return writeJSON(w, http.StatusOK, list)
}

func readDeliveryStatus(query url.Values) (fieldlift.DeliveryStatus, error) {
	if !query.Has("status") {
		return "", nil
	}
	status := fieldlift.DeliveryStatus(query.Get("status"))
	if !slices.Contains(fieldlift.DeliveryStatuses, status) {
		return "", fieldlift.Invalid(fieldlift.Detail{
			Field: "status", Issue: "enum", Message: "status must be one of pending, success, pending_retry and failed.",
		})
	}
	return status, nil
}

func (s *Server) wireDelivery(ctx context.Context, record fieldlift.DeliveryRecord) (api.Delivery, error) {
	d := record.Delivery
	shown := api.Delivery{
		DeliveryID:    d.ID,
		EventID:       d.EventID,
		Event:         string(d.EventType),
		ExtractionID:  orNull(d.ExtractionID),
		Status:        string(d.Status),
		CreatedAt:     api.Time{Time: d.CreatedAt},
		NextAttemptAt: api.Time{Time: d.NextAt},
		Attempts:      make([]api.Attempt, 0, len(record.Attempts)),
	}
	for _, a := range record.Attempts {
		shown.Attempts = append(shown.Attempts, api.Attempt{
			Status:       string(a.Status),
			StatusCode:   a.StatusCode,
			RetryCount:   a.RetryCount,
			AttemptedAt:  api.Time{Time: a.AttemptedAt},
			DurationMS:   a.Took.Milliseconds(),
			Error:        orNull(a.Error),
			ResponseBody: a.Response,
		})
	}
	var err error
	shown.RequestBody, shown.RequestBodyIsCut, err = record.Payload.Beginning(mostShown, func(documentID string) (string, error) {
		return s.Store.ResultData(ctx, documentID)
	})
	return shown, err
}

func (s *Server) redeliver(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	webhook, err := s.findWebhook(r, c)
	if err != nil {
		return err
	}
	id := r.PathValue("delivery_id")
	if !fieldlift.ValidID(fieldlift.DeliveryPrefix, id) {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no delivery %s of this webhook.", id)
	}
	record, err := s.Store.Redeliver(r.Context(), webhook, id)
	if err != nil {
		return err
	}
	shown, err := s.wireDelivery(r.Context(), record)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, api.DeliveryEnvelope{Delivery: shown})
}
