package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// The machine is busy with this run itself, and perhaps with others'. How much of a call's time is
// waiting for a processor is measured by the plainest server there is: a process of its own that
// sends back as many bytes as small calls have.

// echoArgument makes this program that server.
const echoArgument = "--serve-echo"

// echoBytes is the size of a names-only call for 1000 nodes.
const echoBytes = 40 << 10

// serveEcho never returns.
func serveEcho(portFile string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(portFile, []byte(listener.Addr().String()), 0o600)
	}
	for err == nil {
		var c net.Conn
		if c, err = listener.Accept(); err == nil {
			go echo(c)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func echo(c net.Conn) {
	defer c.Close()
	buffer := make([]byte, echoBytes)
	for {
		if _, err := io.ReadFull(c, buffer); err != nil {
			return
		}
		if _, err := c.Write(buffer); err != nil {
			return
		}
	}
}

func startEcho(dir string) (*process.Process, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	portFile := dir + "/echo-port"
	p, err := process.Start(process.Spec{Name: "echo", Path: self, Args: []string{echoArgument, portFile}, LogDir: dir})
	if err != nil {
		return nil, "", err
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if address, err := os.ReadFile(portFile); err == nil && len(address) > 0 {
			return p, string(address), nil
		}
	}
	p.Kill()
	return nil, "", fmt.Errorf("the echo does not start: %w", p.ExitError())
}

// measureEcho asks as keepAsking does, and returns how long each answer took.
func measureEcho(ctx context.Context, address string) (times []time.Duration, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	reader := bufio.NewReaderSize(c, 64<<10)
	buffer := make([]byte, echoBytes)
	for pause(ctx, smallGap+time.Duration(rand.IntN(4))*time.Millisecond) {
		begin := time.Now()
		if _, err = c.Write(buffer); err == nil {
			_, err = io.ReadFull(reader, buffer)
		}
		if err != nil {
			return times, err
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}
