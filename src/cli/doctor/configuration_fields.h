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

}  // namespace outrigger::cli::fields
// clang-format on
