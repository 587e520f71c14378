// Written by tests/support/cmd/scheduler-fields from k8s.io/kube-scheduler v0.37.2; do not edit.
#pragma once

#include "cli/doctor/field_shape.h"

// clang-format off
namespace outrigger::cli::fields {

inline constexpr FieldShape kLeaderElectionConfiguration[] = {
    {"leaderElect", FieldType::kTruth},
    {"leaseDuration", FieldType::kDuration},
    {"renewDeadline", FieldType::kDuration},
    {"retryPeriod", FieldType::kDuration},
    {"resourceLock", FieldType::kText},
    {"resourceName", FieldType::kText},
    {"resourceNamespace", FieldType::kText},
};
inline constexpr FieldShape kClientConnectionConfiguration[] = {
    {"kubeconfig", FieldType::kText},
    {"acceptContentTypes", FieldType::kText},
    {"contentType", FieldType::kText},
    {"qps", FieldType::kNumber},
    {"burst", FieldType::kInteger},
};
inline constexpr FieldShape kPlugin[] = {
    {"name", FieldType::kText},
    {"weight", FieldType::kInteger},
};
inline constexpr FieldShape kPluginSet[] = {
    {"enabled", FieldType::kList, kPlugin},
    {"disabled", FieldType::kList, kPlugin},
};
inline constexpr FieldShape kPlugins[] = {
    {"preEnqueue", FieldType::kMap, kPluginSet},
    {"queueSort", FieldType::kMap, kPluginSet},
    {"preFilter", FieldType::kMap, kPluginSet},
    {"filter", FieldType::kMap, kPluginSet},
    {"postFilter", FieldType::kMap, kPluginSet},
    {"preScore", FieldType::kMap, kPluginSet},
    {"score", FieldType::kMap, kPluginSet},
    {"reserve", FieldType::kMap, kPluginSet},
    {"permit", FieldType::kMap, kPluginSet},
    {"preBind", FieldType::kMap, kPluginSet},
    {"bind", FieldType::kMap, kPluginSet},
    {"postBind", FieldType::kMap, kPluginSet},
    {"multiPoint", FieldType::kMap, kPluginSet},
    {"placementGenerate", FieldType::kMap, kPluginSet},
    {"placementScore", FieldType::kMap, kPluginSet},
    {"podGroupPostFilter", FieldType::kMap, kPluginSet},
};
inline constexpr FieldShape kPluginConfig[] = {
    {"name", FieldType::kText},
    {"args", FieldType::kAny},
};
inline constexpr FieldShape kKubeSchedulerProfile[] = {
    {"schedulerName", FieldType::kText},
    {"percentageOfNodesToScore", FieldType::kInteger},
    {"plugins", FieldType::kMap, kPlugins},
    {"pluginConfig", FieldType::kList, kPluginConfig},
};
inline constexpr FieldShape kExtenderTLSConfig[] = {
    {"insecure", FieldType::kTruth},
    {"serverName", FieldType::kText},
    {"certFile", FieldType::kText},
    {"keyFile", FieldType::kText},
    {"caFile", FieldType::kText},
    {"certData", FieldType::kText},
    {"keyData", FieldType::kText},
    {"caData", FieldType::kText},
};
inline constexpr FieldShape kExtenderManagedResource[] = {
    {"name", FieldType::kText},
    {"ignoredByScheduler", FieldType::kTruth},
};
inline constexpr FieldShape kExtender[] = {
    {"urlPrefix", FieldType::kText},
    {"filterVerb", FieldType::kText},
    {"preemptVerb", FieldType::kText},
    {"prioritizeVerb", FieldType::kText},
    {"weight", FieldType::kInteger},
    {"bindVerb", FieldType::kText},
    {"enableHTTPS", FieldType::kTruth},
    {"tlsConfig", FieldType::kMap, kExtenderTLSConfig},
    {"httpTimeout", FieldType::kDuration},
    {"nodeCacheCapable", FieldType::kTruth},
    {"managedResources", FieldType::kList, kExtenderManagedResource},
    {"ignorable", FieldType::kTruth},
};
inline constexpr FieldShape kKubeSchedulerConfiguration[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"parallelism", FieldType::kInteger},
    {"leaderElection", FieldType::kMap, kLeaderElectionConfiguration},
    {"clientConnection", FieldType::kMap, kClientConnectionConfiguration},
    {"enableProfiling", FieldType::kTruth},
    {"enableContentionProfiling", FieldType::kTruth},
    {"percentageOfNodesToScore", FieldType::kInteger},
    {"podInitialBackoffSeconds", FieldType::kInteger},
    {"podMaxBackoffSeconds", FieldType::kInteger},
    {"profiles", FieldType::kList, kKubeSchedulerProfile},
    {"extenders", FieldType::kList, kExtender},
    {"delayCacheUntilActive", FieldType::kTruth},
};
inline constexpr FieldShape kDefaultPreemptionArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"minCandidateNodesPercentage", FieldType::kInteger},
    {"minCandidateNodesAbsolute", FieldType::kInteger},
};
inline constexpr FieldShape kInterPodAffinityArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"hardPodAffinityWeight", FieldType::kInteger},
    {"ignorePreferredTermsOfExistingPods", FieldType::kTruth},
};
inline constexpr FieldShape kNodeSelectorRequirement[] = {
    {"key", FieldType::kText},
    {"operator", FieldType::kText},
    {"values", FieldType::kTexts},
};
inline constexpr FieldShape kNodeSelectorTerm[] = {
    {"matchExpressions", FieldType::kList, kNodeSelectorRequirement},
    {"matchFields", FieldType::kList, kNodeSelectorRequirement},
};
inline constexpr FieldShape kNodeSelector[] = {
    {"nodeSelectorTerms", FieldType::kList, kNodeSelectorTerm},
};
inline constexpr FieldShape kPreferredSchedulingTerm[] = {
    {"weight", FieldType::kInteger},
    {"preference", FieldType::kMap, kNodeSelectorTerm},
};
inline constexpr FieldShape kNodeAffinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", FieldType::kMap, kNodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", FieldType::kList, kPreferredSchedulingTerm},
};
inline constexpr FieldShape kNodeAffinityArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"addedAffinity", FieldType::kMap, kNodeAffinity},
};
inline constexpr FieldShape kResourceSpec[] = {
    {"name", FieldType::kText},
    {"weight", FieldType::kInteger},
};
inline constexpr FieldShape kNodeResourcesBalancedAllocationArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"resources", FieldType::kList, kResourceSpec},
};
inline constexpr FieldShape kUtilizationShapePoint[] = {
    {"utilization", FieldType::kInteger},
    {"score", FieldType::kInteger},
};
inline constexpr FieldShape kRequestedToCapacityRatioParam[] = {
    {"shape", FieldType::kList, kUtilizationShapePoint},
};
inline constexpr FieldShape kScoringStrategy[] = {
    {"type", FieldType::kText},
    {"resources", FieldType::kList, kResourceSpec},
    {"requestedToCapacityRatio", FieldType::kMap, kRequestedToCapacityRatioParam},
};
inline constexpr FieldShape kNodeResourcesFitArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"ignoredResources", FieldType::kTexts},
    {"ignoredResourceGroups", FieldType::kTexts},
    {"scoringStrategy", FieldType::kMap, kScoringStrategy},
};
inline constexpr FieldShape kLabelSelectorRequirement[] = {
    {"key", FieldType::kText},
    {"operator", FieldType::kText},
    {"values", FieldType::kTexts},
};
inline constexpr FieldShape kLabelSelector[] = {
    {"matchLabels", FieldType::kMap},
    {"matchExpressions", FieldType::kList, kLabelSelectorRequirement},
};
inline constexpr FieldShape kTopologySpreadConstraint[] = {
    {"maxSkew", FieldType::kInteger},
    {"topologyKey", FieldType::kText},
    {"whenUnsatisfiable", FieldType::kText},
    {"labelSelector", FieldType::kMap, kLabelSelector},
    {"minDomains", FieldType::kInteger},
    {"nodeAffinityPolicy", FieldType::kText},
    {"nodeTaintsPolicy", FieldType::kText},
    {"matchLabelKeys", FieldType::kTexts},
};
inline constexpr FieldShape kPodTopologySpreadArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"defaultConstraints", FieldType::kList, kTopologySpreadConstraint},
    {"defaultingType", FieldType::kText},
};
inline constexpr FieldShape kVolumeBindingArgs[] = {
    {"kind", FieldType::kText},
    {"apiVersion", FieldType::kText},
    {"bindTimeoutSeconds", FieldType::kInteger},
    {"shape", FieldType::kList, kUtilizationShapePoint},
};

inline constexpr ArgumentsShape kPluginArguments[] = {
    {"DefaultPreemption", kDefaultPreemptionArgs},
    {"InterPodAffinity", kInterPodAffinityArgs},
    {"NodeAffinity", kNodeAffinityArgs},
    {"NodeResourcesBalancedAllocation", kNodeResourcesBalancedAllocationArgs},
    {"NodeResourcesFit", kNodeResourcesFitArgs},
    {"PodTopologySpread", kPodTopologySpreadArgs},
    {"VolumeBinding", kVolumeBindingArgs},
};

}  // namespace outrigger::cli::fields
// clang-format on
