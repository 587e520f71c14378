package process

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
)

func TestAHeldPortIsRefusedAndFreeOnceItIsReleased(t *testing.T) {
	held, err := HoldPort(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(held.Release)
	address := fmt.Sprintf("127.0.0.1:%d", held.Port)
	if connection, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, %v", connection, err)
	}
	held.Release()
	held.Release()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	// Of a program that is killed connections are left.
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	other, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	listener.Close()
	again, err := HoldPort(held.Port)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}
