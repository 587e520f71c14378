#include "cli/manifests/policies.h"

#include "absl/strings/str_replace.h"

namespace outrigger::cli::manifests {
namespace {

constexpr const char* kDeviceClaims =
    R"yaml(# A pod whose scheduler does not call the agent would start without its devices. `schedulers` lists those that call it.
# Pods that were there before may be changed, and are served after they are bound. Kubernetes 1.30 and newer.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: outrigger-device-claims
  labels: {app.kubernetes.io/part-of: outrigger}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: ["v1"]
        operations: ["CREATE", "UPDATE"]
        resources: ["pods", "pods/status"]
        scope: "*"
  matchConditions:
    - name: claims
      expression: 'object.metadata.?annotations[?"devmgmtproto.k8s.io/device-claims"].orValue("") != ""'
    - name: changed
      expression: |
        oldObject == null
        || oldObject.metadata.?annotations[?"devmgmtproto.k8s.io/device-claims"].orValue("")
          != object.metadata.annotations["devmgmtproto.k8s.io/device-claims"]
  variables:
    - name: schedulers
      expression: '["{scheduler}"]'
  validations:
    - expression: 'object.spec.schedulerName in variables.schedulers'
      messageExpression: |
        "the annotation devmgmtproto.k8s.io/device-claims requests devices, but scheduler " + object.spec.schedulerName
        + " provides none: set schedulerName: " + variables.schedulers.join(" or ") + " in the pod or its template"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: outrigger-device-claims
  labels: {app.kubernetes.io/part-of: outrigger}
spec:
  policyName: outrigger-device-claims
  validationActions: [Deny]
)yaml";

constexpr const char* kUsageAnnotator =
    R"yaml(# RBAC cannot say which part of a node may be patched: this confines the annotator to its annotations.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {name}
  labels: {app.kubernetes.io/part-of: outrigger}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - {apiGroups: [""], apiVersions: ["v1"], resources: ["nodes"], operations: ["UPDATE"], scope: "*"}
  matchConditions:
    - name: the-annotator
      expression: request.userInfo.username == 'system:serviceaccount:{namespace}:{account}'
  variables:
    - name: before
      expression: "has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}"
    - name: after
      expression: "has(object.metadata.annotations) ? object.metadata.annotations : {}"
    - name: changed
      expression: >-
        variables.after.map(k, k).filter(k, !(k in variables.before) || variables.before[k] != variables.after[k])
        + variables.before.map(k, k).filter(k, !(k in variables.after))
  validations:
    - expression: >-
        variables.changed.all(k, k in ['mean-free-cpu', 'std-free-cpu', 'forecasted-free-cpu', 'forcasted-free-cpu',
        'mean-free-memory', 'std-free-memory', 'forecasted-free-memory', 'forcasted-free-memory',
        'outrigger.dev/usage-measured', 'congestion-factor'])
      message: the annotator writes the annotations of measured load, and no others
    - expression: >-
        object.spec == oldObject.spec && object.status == oldObject.status
        && (has(object.metadata.labels) ? object.metadata.labels : {})
        == (has(oldObject.metadata.labels) ? oldObject.metadata.labels : {})
        && (has(object.metadata.finalizers) ? object.metadata.finalizers : [])
        == (has(oldObject.metadata.finalizers) ? oldObject.metadata.finalizers : [])
        && has(object.metadata.ownerReferences) == has(oldObject.metadata.ownerReferences)
        && (!has(object.metadata.ownerReferences)
        || object.metadata.ownerReferences == oldObject.metadata.ownerReferences)
      message: the annotator changes nothing of a node but annotations
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {name}
  labels: {app.kubernetes.io/part-of: outrigger}
spec:
  policyName: {name}
  validationActions: [Deny]
)yaml";

}  // namespace

std::string DeviceClaimsPolicy(const std::string& scheduler) {
  return absl::StrReplaceAll(kDeviceClaims, {{"{scheduler}", scheduler}});
}

std::string UsageAnnotatorPolicy(const std::string& name_space, const std::string& account,
                                 const std::string& name) {
  return absl::StrReplaceAll(
      kUsageAnnotator, {{"{namespace}", name_space}, {"{account}", account}, {"{name}", name}});
}

}  // namespace outrigger::cli::manifests
