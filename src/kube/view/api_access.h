#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kube/api.h"
#include "kube/lease/leader_election.h"
#include "kube/objects.h"
#include "kube/write/config_map.h"
#include "kube/write/custom_object.h"
#include "kube/write/priority_class.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/agent/elections.h"
#include "outrigger/agent/priority_classes.h"
#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// The options of a call with these limits.
inline CallOptions OptionsOf(const CallLimits& limits, bool rate_limited) {
  return {.timeout = limits.timeout, .stop = limits.stop, .rate_limited = rate_limited};
}

/// Calls of the API server for PriorityClasses, ConfigMaps, custom objects (all but Follow()) and
/// elections, from all of whose interfaces `Base` derives. They do not wait for the client's own
/// rate limit. Thread-safe.
template <typename Base>
class ApiAccess : public Base {
 public:
  /// `api` outlives this. `warn` gets what an operator should know of an election, in a line, from
  /// other threads; it may be empty.
  ApiAccess(Api* api, std::function<void(const std::string& line)> warn, Clock clock)
      : api_(*api), warn_(std::move(warn)), clock_(std::move(clock)) {}

  absl::StatusOr<PriorityClass> ReadPriorityClass(std::string_view name,
                                                  const CallLimits& limits) final {
    return kube::ReadPriorityClass(api_, name, OptionsOf(limits, false));
  }
  absl::StatusOr<PriorityClass> ParsePriorityClass(std::string_view manifest) const final {
    return kube::ParsePriorityClass(manifest);
  }
  absl::StatusOr<PriorityClass> CreatePriorityClass(const NewPriorityClass& made,
                                                    const CallLimits& limits) final {
    return kube::CreatePriorityClass(api_, made, OptionsOf(limits, false));
  }
  absl::Status TryCreatePriorityClass(const NewPriorityClass& made,
                                      const CallLimits& limits) final {
    return kube::TryCreatePriorityClass(api_, made, OptionsOf(limits, false));
  }
  absl::Status DeletePriorityClass(std::string_view name, std::string_view uid,
                                   std::string_view resource_version,
                                   const CallLimits& limits) final {
    return kube::DeletePriorityClass(api_, name, uid, resource_version, OptionsOf(limits, false));
  }
  absl::StatusOr<AdmittedPod> TryPod(std::string_view namespace_, std::string_view class_name,
                                     const CallLimits& limits) final {
    return kube::TryPod(api_, namespace_, class_name, OptionsOf(limits, false));
  }
  absl::StatusOr<bool> OwnerExists(const OwnerReference& owner, const CallLimits& limits) final {
    return kube::OwnerExists(api_, owner, OptionsOf(limits, false));
  }

  absl::StatusOr<ConfigMap> ReadConfigMap(std::string_view namespace_, std::string_view name,
                                          const CallLimits& limits) final {
    return kube::ReadConfigMap(api_, namespace_, name, OptionsOf(limits, false));
  }
  absl::StatusOr<ConfigMap> WriteConfigMap(const ConfigMap& map, const CallLimits& limits) final {
    return kube::WriteConfigMap(api_, map, OptionsOf(limits, false));
  }
  absl::Status DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) final {
    return kube::DeleteConfigMap(api_, map, OptionsOf(limits, false));
  }

  absl::StatusOr<std::string> ReadCustomObject(const CustomKind& kind,
                                               const CustomObjectName& object,
                                               const CallLimits& limits) final {
    return kube::ReadCustomObject(api_, kind, object, OptionsOf(limits, false));
  }
  absl::StatusOr<std::string> CreateCustomObject(const CustomKind& kind,
                                                 std::string_view namespace_, std::string_view json,
                                                 const CallLimits& limits) final {
    return kube::CreateCustomObject(api_, kind, namespace_, json, OptionsOf(limits, false));
  }
  absl::StatusOr<std::string> PatchCustomStatus(const CustomKind& kind,
                                                const CustomObjectName& object,
                                                std::string_view status_patch,
                                                const CallLimits& limits) final {
    return kube::PatchCustomStatus(api_, kind, object, status_patch, OptionsOf(limits, false));
  }

  absl::StatusOr<std::unique_ptr<Candidacy>> Stand(LeaseClaim claim,
                                                   ElectionCallbacks callbacks) final {
    return StandForElection(&api_, std::move(claim), std::move(callbacks), warn_, clock_);
  }

 protected:
  Api& api_;

 private:
  const std::function<void(const std::string& line)> warn_;
  const Clock clock_;
};

class CallInterfaces : public PriorityClassAccess,
                       public ConfigMapAccess,
                       public CustomObjectAccess,
                       public Elections {};

/// The same for a command that ends: nothing is followed, so Follow() returns a kind that is
/// Unimplemented.
class CommandAccess final : public ApiAccess<CallInterfaces> {
 public:
  explicit CommandAccess(Api* api, std::function<void(const std::string& line)> warn = {})
      : ApiAccess(api, std::move(warn), {}) {}
  std::unique_ptr<FollowedKind> Follow(const CustomKind& /*kind*/,
                                       CustomObjectSink* /*sink*/) override {
    return std::make_unique<NotFollowed>();
  }

 private:
  class NotFollowed final : public FollowedKind {
    absl::Status Usable() const override {
      return absl::UnimplementedError("a command that ends follows nothing");
    }
  };
};

}  // namespace outrigger::kube
