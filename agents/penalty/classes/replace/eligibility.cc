#include "penalty/classes/eligibility.h"

#include <array>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "outrigger/base/text.h"

namespace outrigger::penalty {
namespace {

struct Mark {
  std::string_view prefix;  // of a label's or annotation's key, or of a manager's name
  std::string_view tool;
};

// Keys that tools write on what they manage, as their documentation has them.
constexpr std::array<Mark, 4> kKeys = {{{"meta.helm.sh/", "Helm"},
                                        {"argocd.argoproj.io/", "Argo CD"},
                                        {"kustomize.toolkit.fluxcd.io/", "Flux"},
                                        {"helm.toolkit.fluxcd.io/", "Flux"}}};
// Their field managers. kubectl is a person's tool.
constexpr std::array<Mark, 5> kManagers = {{{"helm", "Helm"},
                                            {"argocd", "Argo CD"},
                                            {"kustomize-controller", "Flux"},
                                            {"helm-controller", "Flux"},
                                            {"flux", "Flux"}}};

std::string_view ToolOfKeys(const StringMap& map) {
  for (const auto& [key, value] : map) {
    for (const Mark& mark : kKeys) {
      if (key.starts_with(mark.prefix)) return mark.tool;
    }
  }
  return "";
}

// The tool that manages the class; empty: none is known.
std::string_view ToolOf(const PriorityClass& priority_class) {
  if (priority_class.labels.Get("app.kubernetes.io/managed-by") == "Helm") return "Helm";
  for (const StringMap* map : {&priority_class.labels, &priority_class.annotations}) {
    if (const std::string_view tool = ToolOfKeys(*map); !tool.empty()) return tool;
  }
  for (const std::string& manager : priority_class.managers) {
    for (const Mark& mark : kManagers) {
      if (manager.starts_with(mark.prefix)) return mark.tool;
    }
  }
  return "";
}

bool HasDependents(const PriorityClass& priority_class) {
  const std::string* text = priority_class.annotations.Find(kDependentsAnnotation);
  return text != nullptr && *text != "false";
}

std::optional<Refusal> RefusalByPerson(const PriorityClass& priority_class) {
  if (priority_class.annotations.Get(kPenaltyAnnotation) == "ignore") {
    return Refusal{"ignored", fmt::format("annotation {} is \"ignore\"", kPenaltyAnnotation)};
  }
  const std::string_view tool = ToolOf(priority_class);
  if (tool.empty() || priority_class.annotations.Get(kManagedAnnotation) == "allow") {
    return std::nullopt;
  }
  return Refusal{"managed", fmt::format("{} manages the class, and its next apply fails while the "
                                        "class is penalised; annotation {}: \"allow\" permits that",
                                        tool, kManagedAnnotation)};
}

std::string OwnerText(const OwnerReference& owner) {
  return Printable(fmt::format("{} {}", owner.kind, owner.name));
}

}  // namespace

std::optional<Refusal> RefusalOf(const PriorityClass& priority_class, Purpose purpose) {
  if (priority_class.name.starts_with("system-")) {
    return Refusal{"system", "classes named system-* belong to Kubernetes"};
  }
  if (purpose == Purpose::kMap) {
    auto refusal = RefusalByPerson(priority_class);
    return refusal && refusal->reason == "ignored" ? refusal : std::nullopt;
  }
  if (priority_class.global_default) {
    return Refusal{"global-default",
                   "the class has globalDefault: while it is deleted, pods without a class would "
                   "get another priority; remove globalDefault to penalise it"};
  }
  if (purpose == Purpose::kPenalise) {
    if (auto refusal = RefusalByPerson(priority_class); refusal && refusal->reason == "ignored") {
      return refusal;
    }
  }
  if (priority_class.is_deleted) {
    return Refusal{"deleted", "the class is being deleted and waits for its finalizers"};
  }
  if (!priority_class.finalizers.empty()) {
    return Refusal{"finalizers",
                   Printable(fmt::format("the class has finalizers ({}), so it would stay, marked "
                                         "as deleted; remove them to penalise it",
                                         fmt::join(priority_class.finalizers, ", ")))};
  }
  if (HasDependents(priority_class)) {
    return Refusal{"dependents",
                   fmt::format("annotation {} is set: objects that name the class as their owner "
                               "would be deleted with it; \"false\" permits that",
                               kDependentsAnnotation)};
  }
  return purpose == Purpose::kPenalise ? RefusalByPerson(priority_class) : std::nullopt;
}

absl::StatusOr<std::optional<Refusal>> OwnerRefusal(PriorityClassAccess* classes,
                                                    const PriorityClass& priority_class,
                                                    const CallLimits& limits) {
  for (const OwnerReference& owner : priority_class.owners) {
    const absl::StatusOr<bool> exists = classes->OwnerExists(owner, limits);
    if (absl::IsPermissionDenied(exists.status())) {
      return Refusal{
          "owner-unseen",
          fmt::format("the class's owner, {}, cannot be read; the right to get {} of {} is missing",
                      OwnerText(owner), Printable(owner.kind), Printable(owner.api_version))};
    }
    if (!exists.ok()) return exists.status();
    if (!*exists) {
      return Refusal{"owner-gone",
                     fmt::format("the class's owner, {}, is gone: a class created again would be "
                                 "garbage collected; remove that ownerReference to penalise it",
                                 OwnerText(owner))};
    }
  }
  return std::optional<Refusal>();
}

}  // namespace outrigger::penalty
