package deliver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"fieldlift"
)

// mostHeld is the size up to which a body waits in memory. A larger one waits
// on disk, however long its receiver takes: an event of many documents may be
// as large as all their results together.
const mostHeld = 256 << 10

// body is a delivery's text, whole.
type body struct {
	held   bytes.Buffer
	file   *os.File // nil while it is held in memory
	dir    string
	length int64
}

// compose puts an event's text together and has it signed on the way.
func (d *Deliverer) compose(ctx context.Context, p fieldlift.Payload, signed *signer) (*body, error) {
	b := &body{dir: d.SpoolDir}
	err := p.Write(io.MultiWriter(b, signed), func(documentID string) (string, error) { return d.Store.ResultData(ctx, documentID) })
	if b.file != nil {
		err = errors.Join(err, b.file.Close())
	}
	if err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

func (b *body) Write(text []byte) (int, error) {
	b.length += int64(len(text))
	if b.file == nil && b.length <= mostHeld {
		return b.held.Write(text)
	}
	if b.file == nil {
		if err := b.spill(); err != nil {
			return 0, err
		}
	}
	return b.file.Write(text)
}

// spill moves to disk what was held so far.
func (b *body) spill() error {
	err := os.MkdirAll(b.dir, 0o700)
	if err != nil {
		return err
	}
	if b.file, err = os.CreateTemp(b.dir, "delivery-*"); err != nil {
		return err
	}
	_, err = b.held.WriteTo(b.file)
	b.held = bytes.Buffer{}
	return err
}

// open gives the text from its beginning.
func (b *body) open() (io.ReadCloser, error) {
	if b.file == nil {
		return io.NopCloser(bytes.NewReader(b.held.Bytes())), nil
	}
	return os.Open(b.file.Name())
}

func (b *body) remove() {
	if b.file != nil {
		_ = os.Remove(b.file.Name()) // what stays goes with the spool folder
	}
}
