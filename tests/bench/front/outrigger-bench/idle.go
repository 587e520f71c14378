package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// idleConnections have been used once and are kept open, as kube-scheduler's are.
type idleConnections []net.Conn

func openIdle(server *server, count int) (idleConnections, error) {
	var all idleConnections
	for range count {
		conn, err := net.DialTimeout("tcp", server.host, 5*time.Second)
		if err != nil {
			all.close()
			return nil, err
		}
		all = append(all, conn)
	}
	if err := all.use(); err != nil {
		all.close()
		return nil, err
	}
	return all, nil
}

// use makes a call on each: an error says that the server has closed one.
func (all idleConnections) use() error {
	for i, conn := range all {
		if err := useOnce(conn); err != nil {
			return fmt.Errorf("idle connection %d of %d: %w", i+1, len(all), err)
		}
	}
	return nil
}

func useOnce(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET /version HTTP/1.1\r\nHost: bench\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || response.Close {
		return fmt.Errorf("status %d, closes: %t", response.StatusCode, response.Close)
	}
	return nil
}

func (all idleConnections) close() {
	for _, conn := range all {
		conn.Close()
	}
}
