package store

import (
	"context"

	"fieldlift"
)

// extractionsLookedAt is how far back NeedLook goes, so that its cost does not
// grow with all that was ever extracted.
const extractionsLookedAt = 50

// NeedLook gives the newest documents, among those of the account's last
// extractions, that a person should look at: failed ones, and those whose
// confidence is below what is given.
func (s *Store) NeedLook(ctx context.Context, accountID string, below float64, most int) ([]fieldlift.Document, error) {
	return collect(ctx, s.db, scanDocument, `
		SELECT `+documentColumns+` FROM documents WHERE extraction_id IN (
			SELECT id FROM extractions WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 + 0
		) AND (status = 'failed' OR status = 'completed' AND confidence < $3)
		ORDER BY created_at DESC, id DESC LIMIT $4 + 0`, accountID, extractionsLookedAt, below, most)
}
