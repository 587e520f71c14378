package faults

import (
	"bufio"
	"io"
	"net/http"
)

// Stream is the body of one answer on its way to the client. Only the goroutine that passes it on
// uses it.
type Stream struct {
	// Request is what is answered.
	Request *http.Request

	writer  http.ResponseWriter
	engaged []engaged
}

// Send passes bytes to the client at once.
func (s *Stream) Send(bytes []byte) error {
	if _, err := s.writer.Write(bytes); err != nil {
		return err
	}
	return http.NewResponseController(s.writer).Flush()
}

// engaged is an injection that is at work on a stream.
type engaged struct {
	injection *Injection
	tamper    Tamper
}

// pass copies the body, in lines if it is a watch of JSON, in pieces as they come otherwise, and
// lets the rules that hold at that moment have each piece. An error other than EOF cuts the
// connection.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, body io.Reader) error {
	stream := &Stream{Request: r, writer: w}
	reader := bufio.NewReaderSize(body, 64<<10)
	lines := IsWatch(r)
	for {
		piece, err := nextPiece(reader, lines)
		if len(piece) > 0 {
			if failed := p.sendThrough(stream, piece); failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
	}
}

func nextPiece(reader *bufio.Reader, lines bool) ([]byte, error) {
	if lines {
		return reader.ReadBytes('\n')
	}
	if _, err := reader.Peek(1); err != nil {
		return nil, err
	}
	piece := make([]byte, reader.Buffered())
	_, err := io.ReadFull(reader, piece)
	return piece, err
}

// sendThrough lets the first rule that holds have the piece; one that was at work on this stream
// before goes on even if it has been removed, since what was cut or has fallen silent does not heal.
func (p *Proxy) sendThrough(stream *Stream, piece []byte) error {
	p.engage(stream)
	for _, each := range stream.engaged {
		if each.tamper != nil {
			return each.tamper(stream, piece)
		}
	}
	return stream.Send(piece)
}
