package blob

import (
	"context"
	"errors"
	"io"
	"time"
)

// download is a file on its way from S3. A server that falls silent in the
// middle of it does not hold its reader for ever.
type download struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

func (d *download) Read(p []byte) (int, error) {
	stalled := time.AfterFunc(stallTime, d.cancel)
	n, err := d.body.Read(p)
	if !stalled.Stop() {
		return n, unavailable(errors.New("the file store fell silent within a file"))
	}
	if err == nil || err == io.EOF { //nolint:errorlint // readers return io.EOF itself
		return n, err
	}
	if d.ctx.Err() != nil { // the caller's: ours is only cancelled by Close and a stall
		return n, d.ctx.Err()
	}
	return n, unavailable(err) // the connection broke
}

func (d *download) Close() error {
	d.cancel()
	return d.body.Close()
}
