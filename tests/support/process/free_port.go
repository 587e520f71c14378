package process

import (
	"fmt"
	"net"
)

// FreePort returns a TCP port of the loopback address that was free a moment ago. Somebody may
// take it before it is used: whoever can bind port 0 should rather do that.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
