package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// S3 keeps files in a bucket, or the part of one that is under a prefix.
type S3 struct {
	client *s3.Client
	bucket string
	prefix string
}

const (
	// The bounds of patience: with a server that does not take the connection,
	// that does not answer, and with whole acts, tries included.
	dialTime   = 5 * time.Second
	answerTime = 30 * time.Second
	actTime    = time.Minute
	checkTime  = 10 * time.Second
	// slowest is the rate in bytes a second below which a Put is given up.
	slowest = 64 << 10
	// stallTime is how long a reader waits for the next bytes.
	stallTime = 30 * time.Second

	mostAttempts = 3
	longestPause = 300 * time.Millisecond // between attempts

	deleteBatch = 1000 // the most that S3 takes at once

	// checked is what Check writes; no key begins with a dot.
	checked = ".check"
)

func openS3(ctx context.Context, at address) (*S3, error) {
	// Credentials come from where Amazon's programs look for them: environment,
	// shared files, the role of the machine or the container.
	settings, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(httpClient()))
	if err != nil {
		return nil, fmt.Errorf("read the settings of the file store: %w", err)
	}
	if at.region != "" {
		settings.Region = at.region
	}
	if settings.Region == "" {
		if at.endpoint == "" {
			return nil, errors.New("the region of the file store is not known; set AWS_REGION or add region= to its address")
		}
		settings.Region = "us-east-1" // what servers other than Amazon's answer to
	}
	client := s3.NewFromConfig(settings, func(o *s3.Options) {
		o.UsePathStyle = at.pathStyle
		if at.endpoint != "" {
			o.BaseEndpoint = &at.endpoint
		}
		// The signature covers the content already; many servers do not know
		// the newer checksums and refuse a request that has them.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = mostAttempts
			o.MaxBackoff = longestPause
		})
	})
	return &S3{client: client, bucket: at.bucket, prefix: at.prefix}, nil
}

func httpClient() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTime }).
		WithTransportOptions(func(t *http.Transport) {
			t.TLSHandshakeTimeout = dialTime
			t.ResponseHeaderTimeout = answerTime
		})
}

// Put sends a file in one request, which S3 keeps whole or not at all.
func (b *S3) Put(ctx context.Context, key string, content io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	from := &source{ctx: ctx, content: content}
	err := b.put(ctx, key, from, size)
	if failed := from.failure(); failed != nil {
		return failed
	}
	return err
}

func (b *S3) put(ctx context.Context, key string, from *source, size int64) error {
	seeker, ok := from.content.(io.Seeker)
	if !ok {
		return b.putSpooled(ctx, key, from, size)
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	end, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := seeker.Seek(start, io.SeekStart); err != nil {
		return err
	}
	if end-start != size {
		return fmt.Errorf("the content has %d bytes instead of %d", end-start, size)
	}
	return b.send(ctx, key, struct {
		io.Reader
		io.Seeker
	}{from, seeker}, size)
}

// putSpooled is for content that can be read but once: signing takes a first
// reading, and each attempt another.
func (b *S3) putSpooled(ctx context.Context, key string, from *source, size int64) error {
	spool, err := os.CreateTemp("", "fieldlift-put-")
	if err != nil {
		return unavailable(err)
	}
	defer func() {
		_ = spool.Close()
		_ = os.Remove(spool.Name())
	}()
	if err := from.copyTo(spool, size); err != nil {
		return dirError(err)
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return unavailable(err)
	}
	return b.send(ctx, key, spool, size)
}

func (b *S3) send(ctx context.Context, key string, body io.ReadSeeker, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, actTime+time.Duration(size/slowest)*time.Second)
	defer cancel()
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.bucket, Key: new(b.prefix + key), Body: body, ContentLength: &size,
	})
	return s3Error(err)
}

// Open begins to read a file.
func (b *S3) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	// No deadline for all of it: how fast it is read is the reader's affair.
	ctx, cancel := context.WithCancel(ctx)
	object, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: new(b.prefix + key)})
	if err != nil {
		cancel()
		if codeOf(err) == "NoSuchKey" {
			return nil, fmt.Errorf("%s: %w", key, ErrNotFound)
		}
		return nil, s3Error(err)
	}
	return &download{body: object.Body, ctx: ctx, cancel: cancel}, nil
}

// Delete removes files, up to a thousand with one request.
func (b *S3) Delete(ctx context.Context, keys ...string) error {
	objects := make([]types.ObjectIdentifier, 0, len(keys))
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
		objects = append(objects, types.ObjectIdentifier{Key: new(b.prefix + key)})
	}
	var failed []error
	for batch := range slices.Chunk(objects, deleteBatch) {
		failed = append(failed, b.deleteBatch(ctx, batch))
	}
	return errors.Join(failed...)
}

func (b *S3) deleteBatch(ctx context.Context, objects []types.ObjectIdentifier) error {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	answer, err := b.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &b.bucket, Delete: &types.Delete{Objects: objects, Quiet: new(true)},
	}, func(o *s3.Options) {
		// S3 asks for a checksum here; servers that do not know the newer ones want this.
		o.APIOptions = append(o.APIOptions, smithyhttp.AddContentChecksumMiddleware)
	})
	if err != nil {
		return s3Error(err)
	}
	for _, e := range answer.Errors {
		if code := aws.ToString(e.Code); code != "NoSuchKey" {
			err := fmt.Errorf("delete %s: %s: %s", aws.ToString(e.Key), code, aws.ToString(e.Message))
			if slices.Contains(passing, code) {
				return unavailable(err)
			}
			return err
		}
	}
	return nil
}

// List asks for a page of a thousand at a time.
func (b *S3) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Entry{}, err)
			return
		}
		pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.bucket, Prefix: new(b.prefix + prefix)})
		for pages.HasMorePages() {
			page, err := nextPage(ctx, pages)
			if err != nil {
				yield(Entry{}, s3Error(err))
				return
			}
			for _, object := range page.Contents {
				key := strings.TrimPrefix(aws.ToString(object.Key), b.prefix)
				if !validKey(key) { // a stranger's, such as the marker of a folder
					continue
				}
				if !yield(Entry{Key: key, Size: aws.ToInt64(object.Size), ModTime: aws.ToTime(object.LastModified)}, nil) {
					return
				}
			}
		}
	}
}

func nextPage(ctx context.Context, pages *s3.ListObjectsV2Paginator) (*s3.ListObjectsV2Output, error) {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	return pages.NextPage(ctx)
}

// Check writes an object and removes it.
func (b *S3) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	content := strings.NewReader("ok")
	if err := b.send(ctx, checked, content, content.Size()); err != nil {
		return err
	}
	return b.deleteBatch(ctx, []types.ObjectIdentifier{{Key: new(b.prefix + checked)}})
}
