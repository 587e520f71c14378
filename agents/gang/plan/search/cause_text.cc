#include "absl/strings/str_cat.h"
#include "gang/plan/groups.h"
#include "gang/plan/planner.h"

namespace outrigger::plan {

std::string TextOf(const Cause& cause) {
  switch (cause.kind) {
    case Cause::Class::kNone:
      return "nothing";
    case Cause::Class::kMembers:
      return "members";
    case Cause::Class::kRole:
      return absl::StrCat("members of role ", cause.detail);
    case Cause::Class::kNodes:
      return "nodes";
    case Cause::Class::kClaims:
      return absl::StrCat(cause.detail, cause.detail.empty() ? "" : " on ",
                          "nodes of volumes and claims");
    case Cause::Class::kResource:
      return cause.detail;
    case Cause::Class::kMinResources:
      return absl::StrCat(cause.detail, " (minResources)");
    case Cause::Class::kPods:
      return "pods per node";
    case Cause::Class::kHostPorts:
      return "host ports";
    case Cause::Class::kAffinity:
      return "pod affinity";
    case Cause::Class::kAntiAffinity:
      return "pod anti-affinity";
    case Cause::Class::kSpread:
      return "topology spread";
    case Cause::Class::kTopology:
      return absl::StrCat("room within one ", cause.detail);
    case Cause::Class::kWaiter:
      return absl::StrCat("the place of ", cause.detail);
    case Cause::Class::kRefused:
      return "refused by kube-scheduler";
    case Cause::Class::kShape:
      return "room for all members together";
    case Cause::Class::kEffort:
      return "search given up";
    case Cause::Class::kTurn:
      return "its turn";
  }
  return "";
}

std::string_view TextOf(GroupCause cause) {
  switch (cause) {
    case GroupCause::kNone:
      return "a place";
    case GroupCause::kLeftToScheduler:
      return "kube-scheduler";
    case GroupCause::kNotServed:
      return "PodGroups are not served";
    case GroupCause::kUnknownVersion:
      return "the version of PodGroups is not known";
    case GroupCause::kObjectMissing:
      return "no PodGroup";
    case GroupCause::kInvalidMinimum:
      return "its minimum is not accepted";
    case GroupCause::kTooManyMembers:
      return "too many members";
    case GroupCause::kTooManyWaiting:
      return "its minimum is above --max-waiting-binds";
    case GroupCause::kTooMuch:
      return "it asks for more than is planned";
    case GroupCause::kInvalidTopology:
      return "its topology is not accepted";
    case GroupCause::kTooFewMembers:
      return "members";
  }
  return "";
}

}  // namespace outrigger::plan
