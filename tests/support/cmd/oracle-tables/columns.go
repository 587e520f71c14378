//go:build !without_lab

package main

import (
	"math/rand/v2"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"
)

// Objects of all kinds that have columns of their own, without times: ages depend on the clock.
var printedObjects = []string{
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"plain"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"phase":"Pending"}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"running"},"spec":{"nodeName":"n","containers":[{"name":"a"},{"name":"b"}],"readinessGates":[{"conditionType":"x"},{"conditionType":"y"}]},"status":{"phase":"Running","podIPs":[{"ip":"10.0.0.1"},{"ip":"::1"}],"podIP":"10.0.0.1","conditions":[{"type":"x","status":"True"},{"type":"y","status":"False"}],"containerStatuses":[{"name":"a","ready":true,"restartCount":2,"state":{"running":{}}},{"name":"b","ready":false,"restartCount":1,"state":{"running":{}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"crash"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running","nominatedNodeName":"m","containerStatuses":[{"name":"a","restartCount":9,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"evicted"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed","reason":"Evicted"}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"gated"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"gone","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running"}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"lost","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running","reason":"NodeLost"}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"done-and-gone","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Succeeded"}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"completed"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Succeeded","containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed","exitCode":0}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"half"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed","exitCode":0}}},{"name":"b","ready":true,"state":{"running":{}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"half-ready"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed","exitCode":0}}},{"name":"b","ready":true,"state":{"running":{}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"half-failed"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed","exitCode":0}}},{"name":"b","state":{"terminated":{"reason":"Error","exitCode":3}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"signal"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"signal":9,"exitCode":137}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"exit"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":7}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"init"},"spec":{"initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":4,"state":{"terminated":{"exitCode":0}}},{"name":"j","state":{"running":{}}}],"containerStatuses":[{"name":"a","state":{"waiting":{"reason":"PodInitializing"}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"init-error"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":4,"state":{"terminated":{"exitCode":2}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"init-signal"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":2,"signal":15}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"init-reason"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":2,"reason":"OOMKilled"}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"init-waiting"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":3,"state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"init-initialized"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"}]},"status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True"}],"initContainerStatuses":[{"name":"i","restartCount":3,"state":{"running":{}}}],"containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"sidecar"},"spec":{"initContainers":[{"name":"i","restartPolicy":"Always"},{"name":"j"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","started":true,"ready":true,"restartCount":2,"state":{"running":{}}},{"name":"j","restartCount":5,"state":{"terminated":{"exitCode":0}}}],"containerStatuses":[{"name":"a","ready":true,"restartCount":1,"state":{"running":{}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"sidecar-starts"},"spec":{"initContainers":[{"name":"i","restartPolicy":"Always"}],"containers":[{"name":"a"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","started":false,"state":{"running":{}}}]}}`,
	`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":"","node-role.kubernetes.io/control-plane":"","kubernetes.io/role":"x","node-role.kubernetes.io/":"y"}},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],"addresses":[{"type":"Hostname","address":"h"},{"type":"InternalIP","address":"10.0.0.1"},{"type":"InternalIP","address":"10.0.0.2"},{"type":"ExternalIP","address":"1.2.3.4"}],"nodeInfo":{"kubeletVersion":"v1","osImage":"os","kernelVersion":"6","containerRuntimeVersion":"containerd://2","architecture":"amd64"}}}`,
	`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`,
	`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`,
	`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"status":{"phase":"Active"}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"ClusterIP","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ports":[{"port":80,"protocol":"TCP"},{"port":53,"protocol":"UDP","nodePort":30053}],"selector":{"b":"2","a":"1"}}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"ClusterIP"}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"NodePort","externalIPs":["1.1.1.1","2.2.2.2"]}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"LoadBalancer","externalIPs":["1.1.1.1"]},"status":{"loadBalancer":{"ingress":[{"hostname":"z"},{"ip":"9.9.9.9"}]}}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"LoadBalancer"}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"ExternalName","externalName":"e.com"}}`,
	`{"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"r"},"spec":{"replicas":3,"selector":{"a":"b"},"template":{"spec":{"containers":[{"name":"a","image":"i"},{"name":"b","image":"j"}]}}},"status":{"replicas":2,"readyReplicas":1}}`,
	`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteMany","ReadWriteOnce","ReadWriteOncePod","ReadOnlyMany"],"persistentVolumeReclaimPolicy":"Retain","claimRef":{"namespace":"n","name":"c"},"storageClassName":"s","volumeMode":"Block","volumeAttributesClassName":"g"},"status":{"phase":"Bound","reason":"why"}}`,
	`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{},"status":{"phase":"Bound"}}`,
	`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"volumeName":"v","storageClassName":"s","volumeMode":"Filesystem"},"status":{"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"5Gi"}}}`,
	`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`,
	`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"2"},"binaryData":{"c":"AA=="}}`,
	`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`,
	`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"type":"Opaque","data":{"a":"AA=="}}`,
	`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"s"}}`,
	`{"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"t"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"i"}]}}}`,
	`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"type":"Normal","reason":"Scheduled","message":" text\n","involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec"},"source":{"component":"c","host":"h"},"count":3}`,
	`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":{"kind":"Pod"},"reportingComponent":"r","reportingInstance":"i"}`,
	`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":{"kind":"Pod"},"series":{"count":7}}`,
	`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":3,"selector":{"matchLabels":{"b":"c","a":"b"},"matchExpressions":[{"key":"ab","operator":"In","values":["y","x"]},{"key":"z","operator":"Exists"},{"key":"y","operator":"DoesNotExist"},{"key":"x","operator":"NotIn","values":["1"]}]},"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}},"status":{"readyReplicas":2,"updatedReplicas":1,"availableReplicas":2}}`,
	`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"d"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}},"status":{"replicas":3,"readyReplicas":2}}`,
	`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"d"},"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}},"status":{"readyReplicas":2}}`,
	`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"},"spec":{"template":{"spec":{"nodeSelector":{"a":"b"},"containers":[{"name":"a","image":"i"}]}}},"status":{"desiredNumberScheduled":5,"currentNumberScheduled":4,"numberReady":3,"updatedNumberScheduled":2,"numberAvailable":1}}`,
	`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"completions":4,"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}},"status":{"succeeded":1}}`,
	`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"parallelism":3},"status":{"startTime":"2020-01-01T00:00:00Z","completionTime":"2020-01-01T00:07:13Z","conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]}}`,
	`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{},"status":{"conditions":[{"type":"Suspended","status":"True"},{"type":"Failed","status":"False"}]}}`,
	`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{},"status":{}}`,
	`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"j"},"spec":{"schedule":"* * * * *","suspend":true,"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}}}},"status":{"active":[{"name":"x"}]}}`,
	`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"minAvailable":1},"status":{"disruptionsAllowed":2}}`,
	`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"maxUnavailable":"30%"}}`,
	`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"p"},"value":7,"globalDefault":true,"preemptionPolicy":"Never"}`,
	`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"holderIdentity":"h"}}`,
	`{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"r"},"handler":"h"}`,
	`{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},"spec":{"podSelector":{}}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s"},"provisioner":"p"}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s"},"provisioner":"p","reclaimPolicy":"Retain","volumeBindingMode":"WaitForFirstConsumer","allowVolumeExpansion":true}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n"},"spec":{"drivers":[{"name":"a","nodeID":"x"}]}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"d"},"spec":{}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"d"},"spec":{"attachRequired":false,"podInfoOnMount":true,"storageCapacity":true,"tokenRequests":[{"audience":"a"},{"audience":"b"}],"requiresRepublish":true,"volumeLifecycleModes":["Persistent","Ephemeral"]}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"name":"c"},"storageClassName":"s","capacity":"1Gi"}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":"a"},"spec":{"attacher":"x","nodeName":"n","source":{"persistentVolumeName":"v"}},"status":{"attached":true}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttributesClass","metadata":{"name":"a"},"driverName":"d"}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{},"status":{"allocation":{},"reservedFor":[{"resource":"pods","name":"p","uid":"1"}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{},"status":{"allocation":{}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c","deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"c"},"spec":{}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"nodeName":"n","driver":"d","pool":{"name":"p"}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"s"},"spec":{}}`,
	`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"r"},"roleRef":{"kind":"Role","name":"x"},"subjects":[{"kind":"User","name":"u"},{"kind":"User","name":"v"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount","namespace":"n","name":"s"}]}`,
	`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"r"},"roleRef":{"kind":"ClusterRole","name":"x"}}`,
	`{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l","creationTimestamp":"2020-01-01T00:00:00Z"},"spec":{"limits":null}}`,
}

type columnCapture map[reflect.Type][]metav1.TableColumnDefinition

func (c columnCapture) TableHandler(columns []metav1.TableColumnDefinition, print any) error {
	c[reflect.TypeOf(print).In(0)] = columns
	return nil
}

// columnsTable has "objects": [object, [flags and title of each column], cells]; flags as in
// src/apiserver/select/column_table.h. Null for both: upstream prints it with its default columns.
func columnsTable(*rand.Rand) []section {
	known := columnCapture{}
	internalversion.AddHandlers(known)
	generator := printers.NewTableGenerator().With(internalversion.AddHandlers)
	var rows []any
	for _, text := range printedObjects {
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode([]byte(text), nil, nil)
		if err != nil {
			fail(err)
		}
		internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(object, runtime.InternalGroupVersioner)
		if err != nil {
			fail(err)
		}
		columns, ok := known[reflect.TypeOf(internal)]
		if !ok {
			rows = append(rows, []any{decode(text), nil, nil})
			continue
		}
		var titles []string
		for _, c := range columns {
			flags := strings.Repeat("*", int(c.Priority)) + map[string]string{"integer": "#", "boolean": "?"}[c.Type]
			titles = append(titles, flags+c.Name+map[string]string{"name": "!"}[c.Format])
		}
		table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
		if err != nil {
			fail(err)
		}
		rows = append(rows, []any{decode(text), titles, table.Rows[0].Cells})
	}
	return []section{{"objects", rows}}
}
