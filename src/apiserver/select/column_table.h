#pragma once

#include <string_view>

// The columns of pkg/printers/internalversion of Kubernetes 1.37. A column is
//
//   [flags]TITLE[!][=[FUNCTION:]PATH[?OTHERWISE]]
//
// with the flags '*' (priority 1), '#' (integer), '?' (boolean); "!" is the format "name".
// OTHERWISE is shown where there is nothing. Functions are those of cells.cc.

namespace outrigger::apiserver {

struct ColumnsRow {
  std::string_view group;
  std::string_view kind;
  std::string_view columns;
};

#define OUTRIGGER_CONTAINER_COLUMNS                       \
  "*Containers=each:spec.template.spec.containers/name; " \
  "*Images=each:spec.template.spec.containers/image"
#define OUTRIGGER_SUBJECT_COLUMNS                                            \
  "Name!; Role=slash:roleRef.kind/roleRef.name; Age; *Users=subjects:User; " \
  "*Groups=subjects:Group; *ServiceAccounts=subjects:ServiceAccount"

inline constexpr ColumnsRow kColumnTable[] = {
    {"", "Pod",
     "Name!; Ready=podReady:; Status=podStatus:; Restarts=podRestarts:; Age; "
     "*IP=status.podIPs.0.ip?<none>; *Node=spec.nodeName?<none>; "
     "*Nominated Node=status.nominatedNodeName?<none>; *Readiness Gates=podGates:"},
    {"", "Node",
     "Name!; Status=nodeStatus:; Roles=nodeRoles:; Age; Version=status.nodeInfo.kubeletVersion; "
     "*Internal-IP=nodeAddress:InternalIP; *External-IP=nodeAddress:ExternalIP; "
     "*OS-Image=status.nodeInfo.osImage?<unknown>; *Kernel-Version=kernel:; "
     "*Container-Runtime=status.nodeInfo.containerRuntimeVersion?<unknown>"},
    {"", "Namespace", "Name!; Status=status.phase; Age"},
    {"", "Service",
     "Name!; Type=spec.type; Cluster-IP=spec.clusterIPs.0?<none>; External-IP=externalIPs:; "
     "Port(s)=servicePorts:; Age; *Selector=labels:spec.selector"},
    {"", "ReplicationController",
     "Name!; #Desired=spec.replicas; #Current=status.replicas; #Ready=status.readyReplicas; "
     "Age; " OUTRIGGER_CONTAINER_COLUMNS "; *Selector=labels:spec.selector"},
    {"", "PersistentVolume",
     "Name!; Capacity=spec.capacity.storage?0; Access Modes=accessModes:spec.accessModes; "
     "Reclaim Policy=spec.persistentVolumeReclaimPolicy; Status=phase:; "
     "Claim=volumeClaim:spec.claimRef.namespace/spec.claimRef.name; "
     "StorageClass=spec.storageClassName; "
     "VolumeAttributesClass=spec.volumeAttributesClassName?<unset>; Reason=status.reason; Age; "
     "*VolumeMode=spec.volumeMode?<unset>"},
    {"", "PersistentVolumeClaim",
     "Name!; Status=phase:; Volume=spec.volumeName; Capacity=claimCapacity:; "
     "Access Modes=claimModes:status.accessModes; StorageClass=spec.storageClassName; "
     "VolumeAttributesClass=spec.volumeAttributesClassName?<unset>; Age; "
     "*VolumeMode=spec.volumeMode?<unset>"},
    {"", "ConfigMap", "Name!; Data=size:data/binaryData; Age"},
    {"", "Secret", "Name!; Type=type; Data=size:data; Age"},
    {"", "ServiceAccount", "Name!; Age"},
    {"", "PodTemplate",
     "Name!; Containers=each:template.spec.containers/name; "
     "Images=each:template.spec.containers/image; Pod Labels=labels:template.metadata.labels"},
    {"", "Event",
     "Last Seen=eventLast:?<unknown>; Type=type; Reason=reason; Object=eventObject:; "
     "*Subobject=involvedObject.fieldPath; *Source=eventSource:; Message=trim:message; "
     "*First Seen=eventFirst:?<unknown>; *Count=eventCount:; *Name!"},
    {"apps", "Deployment",
     "Name!; Ready=ratio:status.readyReplicas/spec.replicas; "
     "Up-to-date=int:status.updatedReplicas; "
     "Available=int:status.availableReplicas; Age; " OUTRIGGER_CONTAINER_COLUMNS
     "; *Selector=selector:spec.selector"},
    {"apps", "ReplicaSet",
     "Name!; #Desired=spec.replicas; #Current=status.replicas; #Ready=status.readyReplicas; "
     "Age; " OUTRIGGER_CONTAINER_COLUMNS "; *Selector=selector:spec.selector"},
    {"apps", "StatefulSet",
     "Name!; Ready=ratio:status.readyReplicas/spec.replicas; Age; " OUTRIGGER_CONTAINER_COLUMNS},
    {"apps", "DaemonSet",
     "Name!; #Desired=status.desiredNumberScheduled; #Current=status.currentNumberScheduled; "
     "#Ready=status.numberReady; #Up-to-date=status.updatedNumberScheduled; "
     "#Available=status.numberAvailable; Node Selector=labels:spec.template.spec.nodeSelector; "
     "Age; " OUTRIGGER_CONTAINER_COLUMNS "; *Selector=selector:spec.selector"},
    {"batch", "Job",
     "Name!; Status=jobStatus:; Completions=jobCompletions:; Duration=jobDuration:; "
     "Age; " OUTRIGGER_CONTAINER_COLUMNS "; *Selector=selector:spec.selector"},
    {"batch", "CronJob",
     "Name!; Schedule=spec.schedule; Timezone=spec.timeZone?<none>; ?Suspend=suspend:spec.suspend; "
     "#Active=size:status.active; Last Schedule=age:status.lastScheduleTime?<none>; Age; "
     "*Containers=each:spec.jobTemplate.spec.template.spec.containers/name; "
     "*Images=each:spec.jobTemplate.spec.template.spec.containers/image; "
     "*Selector=selector:spec.jobTemplate.spec.selector"},
    {"policy", "PodDisruptionBudget",
     "Name!; Min Available=spec.minAvailable?N/A; Max Unavailable=spec.maxUnavailable?N/A; "
     "#Allowed Disruptions=status.disruptionsAllowed; Age"},
    {"scheduling.k8s.io", "PriorityClass",
     "Name!; #Value=value; ?Global-Default=globalDefault; Age; PreemptionPolicy=preemptionPolicy"},
    {"scheduling.k8s.io", "Workload", "Name!; Age"},
    {"scheduling.k8s.io", "PodGroup",
     "Name!; Policy=podGroupPolicy:; Workload=spec.workloadRef.workloadName?<none>; "
     "Status=podGroupStatus:; Age"},
    {"coordination.k8s.io", "Lease", "Name!; Holder=spec.holderIdentity; Age"},
    {"node.k8s.io", "RuntimeClass", "Name!; Handler=handler; Age"},
    {"networking.k8s.io", "NetworkPolicy", "Name!; Pod-Selector=selector:spec.podSelector; Age"},
    {"storage.k8s.io", "StorageClass",
     "Name!; Provisioner=provisioner; ReclaimPolicy=reclaimPolicy?Delete; "
     "VolumeBindingMode=volumeBindingMode?Immediate; "
     "AllowVolumeExpansion=bool:allowVolumeExpansion; Age"},
    {"storage.k8s.io", "CSINode", "Name!; #Drivers=size:spec.drivers; Age"},
    {"storage.k8s.io", "CSIDriver",
     "Name!; ?AttachRequired=spec.attachRequired?true; ?PodInfoOnMount=spec.podInfoOnMount; "
     "?StorageCapacity=spec.storageCapacity; "
     "TokenRequests=each:spec.tokenRequests/audience?<unset>; "
     "?RequiresRepublish=spec.requiresRepublish; Modes=each:spec.volumeLifecycleModes/?<none>; "
     "Age"},
    {"storage.k8s.io", "CSIStorageCapacity",
     "Name!; StorageClassName=storageClassName; Capacity=capacity?<unset>"},
    {"storage.k8s.io", "VolumeAttachment",
     "Name!; Attacher!=spec.attacher; PV=spec.source.persistentVolumeName; Node=spec.nodeName; "
     "?Attached=status.attached; Age"},
    {"storage.k8s.io", "VolumeAttributesClass", "Name!; DriverName=driverName; Age"},
    {"resource.k8s.io", "ResourceClaim", "Name!; State=resourceClaim:; Age"},
    {"resource.k8s.io", "ResourceClaimTemplate", "Name!; Age"},
    {"resource.k8s.io", "ResourceSlice",
     "Name!; Node=spec.nodeName; Driver=spec.driver; Pool=spec.pool.name; Age"},
    {"resource.k8s.io", "DeviceClass", "Name!; Age"},
    {"resource.k8s.io", "DeviceTaintRule",
     "Name!; Key=spec.taint.key; Value=spec.taint.value; Effect=spec.taint.effect; "
     "TimeAdded=age:spec.taint.timeAdded?; Age"},
    {"rbac.authorization.k8s.io", "RoleBinding", OUTRIGGER_SUBJECT_COLUMNS},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", OUTRIGGER_SUBJECT_COLUMNS},
};

#undef OUTRIGGER_CONTAINER_COLUMNS
#undef OUTRIGGER_SUBJECT_COLUMNS

}  // namespace outrigger::apiserver
