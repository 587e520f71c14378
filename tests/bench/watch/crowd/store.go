package crowd

import (
	"bytes"
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// Where kube-apiserver keeps objects in etcd.
const (
	nodePrefix = "/registry/minions/"
	podPrefix  = "/registry/pods/" + Namespace + "/"
)

// store is etcd, past kube-apiserver: as if another server of the same cluster were writing. Objects
// are encoded as the server does it. Safe for concurrent use.
type store struct{ client *clientv3.Client }

func openStore(url string) (*store, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, DialTimeout: 10 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("client of etcd: %w", err)
	}
	return &store{client}, nil
}

func (s *store) close() { _ = s.client.Close() }

func (s *store) put(ctx context.Context, key string, value []byte) error {
	_, err := s.client.Put(ctx, key, string(value))
	return err
}

func serializer() *protobuf.Serializer { return protobuf.NewSerializer(scheme.Scheme, scheme.Scheme) }

// decode reads an object of type T as etcd has it.
func decode[T runtime.Object](key string, value []byte) (T, error) {
	var none T
	object, _, err := serializer().Decode(value, nil, nil)
	if err != nil {
		return none, fmt.Errorf("%s: %w", key, err)
	}
	typed, ok := object.(T)
	if !ok {
		return none, fmt.Errorf("%s is a %T, not a %T", key, object, none)
	}
	return typed, nil
}

// encode writes an object of a kind of core/v1 as etcd has it.
func encode(kind string, object runtime.Object) ([]byte, error) {
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: kind})
	var encoded bytes.Buffer
	err := serializer().Encode(object, &encoded)
	return encoded.Bytes(), err
}

// first returns the first object of type T below a prefix.
func first[T runtime.Object](ctx context.Context, s *store, prefix string) (T, error) {
	var none T
	stored, err := s.client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithLimit(1))
	if err != nil {
		return none, err
	}
	if len(stored.Kvs) == 0 {
		return none, fmt.Errorf("nothing below %s in etcd", prefix)
	}
	return decode[T](string(stored.Kvs[0].Key), stored.Kvs[0].Value)
}
