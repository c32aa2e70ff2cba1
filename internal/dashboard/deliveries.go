package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"fieldlift"
)

const (
	deliveriesAtOnce = 10
	// mostOfBody bounds how much of a request's body the log shows.
	mostOfBody = 8 << 10
)

// deliveryRow is a delivery as the log shows it.
type deliveryRow struct {
	fieldlift.Delivery
	Body     string // of the request, as far as it is shown
	Cut      bool   // there is more
	Attempts []fieldlift.Attempt
}

// Took is how long the last attempt took.
func (d deliveryRow) Took() time.Duration {
	if len(d.Attempts) == 0 {
		return 0
	}
	return d.Attempts[len(d.Attempts)-1].Took
}

// readDeliveries reads the part of a webhook's log that an address asks for.
func (s *Server) readDeliveries(r *http.Request, hook fieldlift.Webhook, body *webhookPage) error {
	body.Statuses = fieldlift.DeliveryStatuses
	if status := fieldlift.DeliveryStatus(r.URL.Query().Get("status")); slices.Contains(body.Statuses, status) {
		body.Status = status
	}
	scope := fmt.Sprintf("deliveries %s %q", hook.ID, body.Status)
	part, err := readPart(r, deliveriesAtOnce, scope, fieldlift.DeliveryPrefix)
	if err != nil {
		return err
	}
	records, more, err := s.Store.Deliveries(r.Context(), hook.ID, body.Status, part)
	if err != nil {
		return err
	}
	var last fieldlift.Cursor
	for _, record := range records {
		row, err := s.deliveryRow(r.Context(), record)
		if err != nil {
			return err
		}
		body.Deliveries = append(body.Deliveries, row)
		last = fieldlift.Cursor{At: record.Delivery.CreatedAt, ID: record.Delivery.ID}
	}
	body.Paging = newPaging(r, "/integrations/webhooks/"+hook.ID, part, more, last, scope)
	return nil
}

func (s *Server) deliveryRow(ctx context.Context, record fieldlift.DeliveryRecord) (row deliveryRow, err error) {
	row = deliveryRow{Delivery: record.Delivery, Attempts: record.Attempts}
	row.Body, row.Cut, err = record.Payload.Beginning(mostOfBody, func(documentID string) (string, error) {
		return s.Store.ResultData(ctx, documentID)
	})
	if err != nil || row.Cut {
		return row, err
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(row.Body), "", "  ") == nil {
		row.Body = indented.String()
	}
	return row, nil
}

func (s *Server) redeliver(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	if err = s.throttle(r.Context(), fieldlift.CallThrottles(v.Account.ID)); err == nil {
		_, err = s.Store.Redeliver(r.Context(), hook, r.PathValue("delivery"))
	}
	if fieldlift.CodeOf(err) == fieldlift.ResourceNotFound {
		return err
	}
	return s.toldOfWebhook(w, r, v, hook, webhookPage{}, err, "redelivered")
}
