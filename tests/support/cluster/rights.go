package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// ConfigWithManifest creates the ServiceAccount, roles and bindings of a manifest (YAML documents, as
// `kubectl apply` takes them; namespaces that they name are made) and returns a client configuration
// with a token of the ServiceAccount, of which the manifest must have exactly one. What the account
// may do is what the manifest grants, and what everybody may who is authenticated.
func (c *Cluster) ConfigWithManifest(ctx context.Context, manifest []byte) (*rest.Config, error) {
	var account *corev1.ServiceAccount
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		var document runtime.RawExtension
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("manifest of rights: %w", err)
		}
		if len(document.Raw) == 0 || string(document.Raw) == "null" {
			continue
		}
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document.Raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("manifest of rights: %w", err)
		}
		if found, ok := object.(*corev1.ServiceAccount); ok {
			if account != nil {
				return nil, fmt.Errorf("manifest of rights: two ServiceAccounts, %s and %s", account.Name, found.Name)
			}
			account = found
		}
		if err := c.createRight(ctx, object); err != nil {
			return nil, fmt.Errorf("manifest of rights: %w", err)
		}
	}
	if account == nil {
		return nil, errors.New("manifest of rights: no ServiceAccount")
	}
	return c.ServiceAccountConfig(ctx, namespaceOr(account.Namespace), account.Name)
}

// ConfigWithRules returns a client configuration of a new service account, in namespace default, that
// may do what rules say, in all namespaces, and nothing else.
func (c *Cluster) ConfigWithRules(ctx context.Context, name string, rules ...rbacv1.PolicyRule) (*rest.Config, error) {
	meta := metav1.ObjectMeta{Name: name}
	for _, object := range []runtime.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules},
		&rbacv1.ClusterRoleBinding{ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: name}}},
	} {
		if err := c.createRight(ctx, object); err != nil {
			return nil, fmt.Errorf("rights of %s: %w", name, err)
		}
	}
	return c.ServiceAccountConfig(ctx, metav1.NamespaceDefault, name)
}

// RevocableToken returns a token of a service account that exists already, and what makes the API
// server refuse it (401), which takes up to ten seconds to work: until then the server remembers
// that the token was good. Requests that were let in before, watches too, go on.
func (c *Cluster) RevocableToken(ctx context.Context, namespace, name string) (token string, revoke func() error, err error) {
	secrets := c.Client.CoreV1().Secrets(namespace)
	secret, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "token-of-" + name + "-"}},
		metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("token of service account %s/%s: %w", namespace, name, err)
	}
	request, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{
			APIVersion: "v1", Kind: "Secret", Name: secret.Name, UID: secret.UID}}}, metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("token of service account %s/%s: %w", namespace, name, err)
	}
	return request.Status.Token, func() error {
		return secrets.Delete(ctx, secret.Name, metav1.DeleteOptions{})
	}, nil
}

func (c *Cluster) createRight(ctx context.Context, object runtime.Object) error {
	core, rbac := c.Client.CoreV1(), c.Client.RbacV1()
	var err error
	switch right := object.(type) {
	case *corev1.Namespace:
		err = c.ensureNamespace(ctx, right.Name)
	case *corev1.ServiceAccount:
		if err = c.ensureNamespace(ctx, namespaceOr(right.Namespace)); err == nil {
			_, err = core.ServiceAccounts(namespaceOr(right.Namespace)).Create(ctx, right, metav1.CreateOptions{})
		}
	case *rbacv1.ClusterRole:
		_, err = rbac.ClusterRoles().Create(ctx, right, metav1.CreateOptions{})
	case *rbacv1.ClusterRoleBinding:
		_, err = rbac.ClusterRoleBindings().Create(ctx, right, metav1.CreateOptions{})
	case *rbacv1.Role:
		if err = c.ensureNamespace(ctx, namespaceOr(right.Namespace)); err == nil {
			_, err = rbac.Roles(namespaceOr(right.Namespace)).Create(ctx, right, metav1.CreateOptions{})
		}
	case *rbacv1.RoleBinding:
		if err = c.ensureNamespace(ctx, namespaceOr(right.Namespace)); err == nil {
			_, err = rbac.RoleBindings(namespaceOr(right.Namespace)).Create(ctx, right, metav1.CreateOptions{})
		}
	default:
		err = fmt.Errorf("%T is no right", object)
	}
	return err
}

func (c *Cluster) ensureNamespace(ctx context.Context, name string) error {
	_, err := c.Client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func namespaceOr(namespace string) string {
	if namespace == "" {
		return metav1.NamespaceDefault
	}
	return namespace
}
