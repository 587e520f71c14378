package faults

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// errCut cuts the connection.
var errCut = errors.New("cut")

// Refusal is a Status as an API server sends it. retryAfter, in seconds, is left out if it is 0.
func Refusal(code int, reason metav1.StatusReason, message string, retryAfter int) *Answer {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Message: message, Reason: reason, Code: int32(code),
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if retryAfter > 0 {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(retryAfter)}
		header.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // a Status of plain fields can always be written
	}
	return &Answer{Code: code, Header: header, Body: body}
}

// Gone is the answer to a resource version that is too old.
func Gone() *Answer {
	return Refusal(http.StatusGone, metav1.StatusReasonExpired, "The resourceVersion for the provided watch is too old.", 0)
}

// TooMany is what a server says that has enough to do.
func TooMany(retryAfter int) *Answer {
	return Refusal(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "too many requests, please try again later", retryAfter)
}

// Broken is a server's internal error.
func Broken() *Answer {
	return Refusal(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcdserver: leader changed", 0)
}

// Forbidden is the answer to who lacks a right, Unauthorized to who is not known.
func Forbidden() *Answer {
	return Refusal(http.StatusForbidden, metav1.StatusReasonForbidden, "forbidden: User cannot do that", 0)
}

// Unauthorized is the answer to a token that has expired.
func Unauthorized() *Answer {
	return Refusal(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized", 0)
}

// CutAfter passes n bytes of the body more, counted from when it takes hold, and cuts the connection.
func CutAfter(n int64) func() Tamper {
	return func() Tamper {
		left := n
		return func(s *Stream, piece []byte) error {
			if int64(len(piece)) < left {
				left -= int64(len(piece))
				return s.Send(piece)
			}
			if left > 0 {
				if err := s.Send(piece[:left]); err != nil {
					return err
				}
			}
			return errCut
		}
	}
}

// Drip sends one byte each interval.
func Drip(interval time.Duration) func() Tamper {
	return func() Tamper {
		return func(s *Stream, piece []byte) error {
			for i := range piece {
				if !pause(s.Request, interval) {
					return errCut
				}
				if err := s.Send(piece[i : i+1]); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// FallSilent passes n bytes more, then nothing, and keeps the connection open until the client
// closes it.
func FallSilent(n int64) func() Tamper {
	return func() Tamper {
		left := n
		return func(s *Stream, piece []byte) error {
			if int64(len(piece)) <= left {
				left -= int64(len(piece))
				return s.Send(piece)
			}
			if err := s.Send(piece[:left]); err != nil {
				return err
			}
			<-s.Request.Context().Done()
			return errCut
		}
	}
}

// Late keeps each piece of a body back for so long, and passes them on in their order. Other than a pause in a
// Tamper it does not keep back what comes next.
func Late(by time.Duration) func() Tamper {
	type due struct {
		piece []byte
		at    time.Time
	}
	return func() Tamper {
		var queue chan due
		return func(s *Stream, piece []byte) error {
			if queue == nil {
				queue = make(chan due, 100_000)
				done := make(chan struct{})
				go func() {
					defer close(done)
					for next := range queue {
						if !pause(s.Request, time.Until(next.at)) || s.Send(next.piece) != nil {
							return
						}
					}
				}()
				s.ends = append(s.ends, func() {
					close(queue)
					<-done
				})
			}
			queue <- due{piece, time.Now().Add(by)}
			return nil
		}
	}
}

// Spoil puts a byte in the place of the one at offset of the first piece that is long enough, and
// passes everything else on.
func Spoil(offset int, with byte) func() Tamper {
	return once(func(s *Stream, piece []byte) ([]byte, bool) {
		if offset >= len(piece) {
			return piece, false
		}
		spoiled := bytes.Clone(piece)
		spoiled[offset] = with
		return spoiled, true
	})
}

// Insert sends a line of its own ahead of the next piece: an event that the server never sent.
func Insert(line []byte) func() Tamper {
	return once(func(_ *Stream, piece []byte) ([]byte, bool) {
		return append(append(bytes.Clone(line), '\n'), piece...), true
	})
}

// InsertFrame is Insert for a watch in protobuf: an event behind its length.
func InsertFrame(event []byte) func() Tamper {
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(event)))
	frame = append(frame, event...)
	return once(func(_ *Stream, piece []byte) ([]byte, bool) {
		return append(bytes.Clone(frame), piece...), true
	})
}

// ProtobufEvent is an event of a watch, as an API server writes it in protobuf (without its length).
func ProtobufEvent(kind watch.EventType, object runtime.Object) ([]byte, error) {
	raw, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), object)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: raw}}
	return event.Marshal()
}

// Event is an event of a watch, as an API server writes it (without the line end).
func Event(kind watch.EventType, object runtime.Object) ([]byte, error) {
	text, err := json.Marshal(object)
	return fmt.Appendf(nil, `{"type":%q,"object":%s}`, kind, text), err
}

// once lets change have pieces until it has changed one.
func once(change func(s *Stream, piece []byte) ([]byte, bool)) func() Tamper {
	return func() Tamper {
		done := false
		return func(s *Stream, piece []byte) error {
			if !done {
				piece, done = change(s, piece)
			}
			return s.Send(piece)
		}
	}
}
