#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"

// Rules of single kinds, which admission.cc puts together.

namespace outrigger::apiserver {

using Causes = std::vector<Cause>;

inline constexpr const char* kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
inline constexpr const char* kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
inline constexpr const char* kKeyRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// What is at "spec.template.spec", or an empty map.
const Json& PartOf(const Json& object, std::string_view path);

/// What a new object of the kind ("apps/Deployment") gets beside its schema's defaults.
void SetKindDefaults(std::string_view kind, Json* object);
/// Also with each update.
void SetStandingDefaults(std::string_view kind, Json* object);

/// Also of a template's spec.
void SetPullPolicies(Json* spec);
/// What upstream's SetDefaults_Pod adds, as far as scheduling sees it: requests from limits, ports
/// of the host.
void SetPodDefaults(Json* spec);
/// Tolerations of five minutes for nodes that are not ready (DefaultTolerationSeconds).
void AddDefaultTolerations(Json* spec);
/// Gives a member of a gang the gate and the resources by which agent gang knows it.
void SetGangParts(Json* pod);
/// Guaranteed, Burstable or BestEffort (component-helpers' qos).
std::string QosClassOf(const Json& pod);
/// The condition of a pod with scheduling gates.
void SetGatedCondition(Json* pod);

/// The rules of the kind's fields.
void CheckKind(std::string_view kind, const Json& object, Causes* causes);
/// What an update of the kind may not change.
void CheckKept(std::string_view kind, const Json& old, const Json& object, Causes* causes);
/// What an update of a pod may change.
void CheckPodUpdate(const Json& old, const Json& pod, Causes* causes);

}  // namespace outrigger::apiserver
