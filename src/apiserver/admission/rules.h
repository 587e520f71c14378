#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"

// Rules of single kinds, which admission.cc puts together.

namespace outrigger::apiserver {

/// What is at "spec.template.spec", or an empty map.
const Json& PartOf(const Json& object, std::string_view path);

/// What upstream's SetDefaults_PodSpec adds, also in a template, where it depends on other fields.
void SetPodSpecDefaults(Json* spec);
/// What its SetDefaults_Pod adds besides: requests from limits, ports of the host.
void SetPodDefaults(Json* spec);
/// Tolerations of five minutes for nodes that are not ready (DefaultTolerationSeconds).
void AddDefaultTolerations(Json* spec);
/// Gives a member of a gang the gate and the resources by which agent gang knows it.
void SetGangParts(Json* pod);
/// Guaranteed, Burstable or BestEffort (component-helpers' qos).
std::string QosClassOf(const Json& pod);
/// The condition of a pod with scheduling gates.
void SetGatedCondition(Json* pod);

/// Validation of what a scheduler reads (core/validation); `at` is the spec's path.
void CheckPodSpec(const Json& spec, const std::string& at, std::vector<Cause>* causes);
/// What an update of a pod may change.
void CheckPodUpdate(const Json& old, const Json& pod, std::vector<Cause>* causes);

/// "must be greater than or equal to 0" and the like of quantities under a path.
void CheckResources(const Json& resources, const std::string& at, std::vector<Cause>* causes);
/// A metav1.LabelSelector.
void CheckLabelSelector(const Json& selector, const std::string& at, std::vector<Cause>* causes);
void CheckTaints(const Json& node, std::vector<Cause>* causes);

}  // namespace outrigger::apiserver
