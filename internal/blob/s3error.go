package blob

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// passing are the codes of S3 that may be another answer in a moment.
var passing = []string{"InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "OperationAborted"}

// codeOf tells S3's own code of an error, "" if it has none.
func codeOf(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// s3Error turns the client's error into one of ours. A refusal, such as of
// credentials or for want of the bucket, stays what it is: trying again in a
// few seconds would not help.
func s3Error(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	answer, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok || slices.Contains(passing, codeOf(err)) {
		return unavailable(err)
	}
	// The client has this type, with the status 0, even when nothing was answered.
	status := answer.HTTPStatusCode()
	if status < 300 || status >= 500 || status == http.StatusTooManyRequests {
		return unavailable(err)
	}
	return err
}
