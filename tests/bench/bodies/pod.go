package bodies

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// newPod is a pending pod of a Deployment that asks for little, so that it fits every node.
func newPod(seed uint64) *v1.Pod {
	created := metav1.NewTime(start.Add(200 * time.Hour))
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "storefront-7d9c5b6f48-x2x7k", GenerateName: "storefront-7d9c5b6f48-", Namespace: "shop",
			UID: uidOf(seed, 0, 9), ResourceVersion: "51200417", CreationTimestamp: created,
			Labels: map[string]string{"app.kubernetes.io/name": "storefront", "app.kubernetes.io/part-of": "shop",
				"app.kubernetes.io/version": "3.14.2", "pod-template-hash": "7d9c5b6f48"},
			Annotations: map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9102",
				"kubectl.kubernetes.io/restartedAt": "2026-01-23T16:00:00Z"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet",
				Name: "storefront-7d9c5b6f48", UID: uidOf(seed, 0, 10), Controller: new(true), BlockOwnerDeletion: new(true)}},
			ManagedFields: []metav1.ManagedFieldsEntry{managed("kube-controller-manager", "", created, podFields)},
		},
		Spec: v1.PodSpec{
			Volumes: []v1.Volume{
				{Name: "config", VolumeSource: v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{
					LocalObjectReference: v1.LocalObjectReference{Name: "storefront"}, DefaultMode: new(int32(420))}}},
				tokenVolume(),
			},
			Containers:                    []v1.Container{container()},
			RestartPolicy:                 v1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: new(int64(30)),
			DNSPolicy:                     v1.DNSClusterFirst,
			ServiceAccountName:            "storefront",
			SecurityContext:               &v1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(10001))},
			SchedulerName:                 "default-scheduler",
			Tolerations: []v1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
				{Key: "node.kubernetes.io/unreachable", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
			},
			Priority: new(int32(0)), EnableServiceLinks: new(true), PreemptionPolicy: new(v1.PreemptLowerPriority),
		},
		Status: v1.PodStatus{Phase: v1.PodPending, QOSClass: v1.PodQOSBurstable},
	}
}

// podFields is what the ReplicaSet controller owns of the pod.
const podFields = `{"f:metadata":{"f:annotations":{".":{},"f:kubectl.kubernetes.io/restartedAt":{},` +
	`"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},"f:generateName":{},"f:labels":{".":{},` +
	`"f:app.kubernetes.io/name":{},"f:pod-template-hash":{}},"f:ownerReferences":{}},` +
	`"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:command":{},"f:env":{},"f:image":{},"f:name":{},` +
	`"f:ports":{},"f:readinessProbe":{},"f:resources":{},"f:volumeMounts":{}}},"f:dnsPolicy":{},` +
	`"f:schedulerName":{},"f:volumes":{}}}`

func tokenVolume() v1.Volume {
	return v1.Volume{Name: "kube-api-access-5vq8m", VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{
		DefaultMode: new(int32(420)),
		Sources: []v1.VolumeProjection{
			{ServiceAccountToken: &v1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
			{ConfigMap: &v1.ConfigMapProjection{LocalObjectReference: v1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items: []v1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &v1.DownwardAPIProjection{Items: []v1.DownwardAPIVolumeFile{{Path: "namespace",
				FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		},
	}}}
}

// container has a shell line with the characters that Go escapes as HTML.
func container() v1.Container {
	return v1.Container{
		Name: "web", Image: "images.example.internal/shop/storefront:v3.14.2", ImagePullPolicy: v1.PullIfNotPresent,
		Command: []string{"/bin/sh", "-c", "/app/migrate --wait && exec /app/storefront --listen=:8080 2>&1 </dev/null"},
		Ports:   []v1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: v1.ProtocolTCP}},
		Env: []v1.EnvVar{
			{Name: "POD_NAME", ValueFrom: &v1.EnvVarSource{FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
			{Name: "DATABASE_URL", Value: "postgres://storefront@db.shop.svc:5432/storefront?sslmode=verify-full&pool=16"},
		},
		Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("250m"), v1.ResourceMemory: resource.MustParse("512Mi")},
			Limits:   v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m"), v1.ResourceMemory: resource.MustParse("1Gi")},
		},
		VolumeMounts: []v1.VolumeMount{
			{Name: "config", MountPath: "/etc/storefront", ReadOnly: true},
			{Name: "kube-api-access-5vq8m", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true},
		},
		ReadinessProbe: &v1.Probe{
			ProbeHandler:   v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{Path: "/readyz", Port: intstr.FromString("http"), Scheme: v1.URISchemeHTTP}},
			TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
		},
		TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: v1.TerminationMessageReadFile,
	}
}
