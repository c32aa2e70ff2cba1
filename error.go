package fieldlift

import (
	"errors"
	"fmt"
	"strconv"
)

// Code is a machine-readable error code of the public interface.
type Code string

// The codes of the specification.
const (
	InvalidPayload      Code = "INVALID_PAYLOAD"
	ParserNotConfigured Code = "PARSER_NOT_CONFIGURED"
	SchemaAlreadyExists Code = "SCHEMA_ALREADY_EXISTS"
	UnsupportedFileType Code = "UNSUPPORTED_FILE_TYPE"
	PageCountFailed     Code = "PAGE_COUNT_FAILED"
	Unauthorized        Code = "UNAUTHORIZED"
	InsufficientCredits Code = "INSUFFICIENT_CREDITS"
	ParserNotFound      Code = "PARSER_NOT_FOUND"
	ResourceNotFound    Code = "RESOURCE_NOT_FOUND"
	Conflict            Code = "CONFLICT"
	RateLimited         Code = "RATE_LIMITED"
	InternalError       Code = "INTERNAL_ERROR"
	ServiceUnavailable  Code = "SERVICE_UNAVAILABLE"
)

// Error is the one error type that crosses package borders on purpose: its
// message is written for the person who called, Err is for our log only.
type Error struct {
	Code    Code
	Message string
	Details []Detail
	Err     error
}

// Detail names one thing that is wrong with a request.
type Detail struct {
	Field   string `json:"field"`   // where: "fields[2].type"
	Issue   string `json:"issue"`   // what, for programs: "required", "type", "enum", …
	Message string `json:"message"` // what, for people
}

// Errorf makes an Error of the given code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes an INVALID_PAYLOAD error from the details found; its message
// is the first of them, so that a reader of the message alone is helped too.
func Invalid(details ...Detail) *Error {
	message := "The request is not valid."
	if len(details) > 0 {
		message = details[0].Message
	}
	if more := len(details) - 1; more > 0 {
		message += " (" + strconv.Itoa(more) + " more in details)"
	}
	return &Error{Code: InvalidPayload, Message: message, Details: details}
}

// Unavailable says that a thing the service depends on is away for now.
func Unavailable(err error) *Error {
	return &Error{
		Code:    ServiceUnavailable,
		Message: "The database is temporarily unavailable. Try again in a few seconds.",
		Err:     err,
	}
}

func (e *Error) Error() string {
	if e.Err != nil {
		return string(e.Code) + ": " + e.Message + ": " + e.Err.Error()
	}
	return string(e.Code) + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf tells the code of err, INTERNAL_ERROR for any error that carries none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return InternalError
}
