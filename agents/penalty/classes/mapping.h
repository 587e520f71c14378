#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/agent/call_limits.h"
#include "outrigger/agent/config_maps.h"
#include "outrigger/agent/priority_classes.h"
#include "penalty/classes/replacement.h"
#include "penalty/classes/time.h"

// The mode `mapped`: a class keeps its base, and a policy of the API server gives its new pods a
// stand-in, a class that carries the present value (docs/penalty.md).

namespace outrigger::penalty {

/// Annotation of a stand-in: the class that it stands in for.
inline constexpr std::string_view kStandsForAnnotation = "outrigger.dev/stands-in-for";
/// Annotation of a stand-in: the namespace of the map that it was made for.
inline constexpr std::string_view kMappedInAnnotation = "outrigger.dev/mapped-in";

/// Why a class is left alone that is in the map, and whose new pods are not mapped.
inline constexpr std::string_view kNotMapped = "not-mapped";
/// The same for people, as its state.
inline constexpr std::string_view kNotMappedState =
    "left alone: not-mapped (apply deploy/penalty-mapped.yaml)";

/// Returns the name of the stand-in: "gold-at-900", "gold-at-m5", "gold-at-900-never". A name that
/// would be too long is cut, and has a checksum.
std::string StandInName(std::string_view class_name, int64_t value,
                        std::string_view preemption_policy);

/// What a stand-in carries.
struct Carried {
  int64_t value = 0;
  std::string_view preemption_policy;
};
/// Takes the name of a stand-in apart; nothing: no stand-in of that class has that name.
std::optional<Carried> CarriedBy(std::string_view stand_in, std::string_view class_name);

/// Returns the class that this one stands in for; empty: it is no stand-in. A copy of one that a
/// person made under another name, or with another value, is none.
std::string_view StandsFor(const PriorityClass& priority_class);

/// Classes, each with its stand-in.
using Entries = std::map<std::string, std::string, std::less<>>;
/// Returns those of the map, and nothing else that it has.
Entries EntriesOf(const ConfigMap& map);

/// Returns the classes that the scopes of a ResourceQuota (JSON) name.
std::set<std::string, std::less<>> ClassesOfQuota(std::string_view quota);

/// Stand-ins and the ConfigMap that the policy reads. Each step can be done again; nothing is
/// noted but in the API server, so a process that starts goes on. No class is deleted that pods
/// may still be given. Of one thread; times are handed in.
class Mapper {
 public:
  /// So long after a stand-in was created it is used at the earliest: each API server learns of
  /// it by itself, and only one of them is asked.
  static constexpr Millis kSettle = 2'000;
  /// So long after a stand-in has left the map it is deleted at the earliest.
  static constexpr Millis kKept = 60'000;
  /// So long a class may be in the map without new pods being mapped, until it is reported.
  static constexpr Millis kHolds = 8'000;

  /// The accesses outlive this. `where`: the namespace of the map, and of the pods that are tried.
  Mapper(PriorityClassAccess* classes, ConfigMapAccess* maps, std::string where)
      : classes_(classes), access_(maps), namespace_(std::move(where)) {}

  /// Reads the map, and writes it once, so that no write of an earlier process can come late.
  /// `makes`: if there is none it is created.
  absl::Status Begin(bool makes, const std::stop_token& term);
  /// The map: a class, and its stand-in. The map also has stand-ins of before that are there yet,
  /// so that pods that name one get the value of now.
  const Entries& entries() const { return entries_; }

  /// Gives new pods of the class the target value. Nothing: it is under way, and goes on when it is
  /// called again at DueOf(); another target waits until then.
  absl::StatusOr<std::optional<Replacement>> Map(const ReplaceRequest& request,
                                                 std::string_view preemption_policy,
                                                 const std::stop_token& term);
  /// Gives new pods of the class its base. Ok if they have it.
  absl::Status Unmap(std::string_view class_name, const std::stop_token& term);

  /// A pod or a PodGroup names the stand-in.
  using IsUsed = std::function<bool(const PriorityClass& stand_in)>;
  /// Deletes those of `classes` that are stand-ins of this map, have been out of it for kKept as
  /// far as this process knows, and are not used: so a process that has just unmapped a class calls
  /// this, and at NextIdle() again.
  absl::Status DeleteIdle(const std::vector<PriorityClass>& classes, const IsUsed& is_used,
                          Millis now, const std::stop_token& term);
  /// When DeleteIdle() may delete one that it has seen; nothing: there is none.
  std::optional<Millis> NextIdle() const;

  /// Before Map(): makes stand-ins again that are in the map and were deleted. Deletes idle ones,
  /// and asks whether pods are mapped. `classes`: those of the view.
  absl::Status Tidy(const std::vector<PriorityClass>& classes, const IsUsed& is_used, Millis now,
                    const std::stop_token& term);

  /// Classes that are in the map, and whose new pods are not mapped.
  std::set<std::string> NotMapped() const;
  /// When Map() of a class goes on; nothing: it is not under way.
  std::optional<Millis> DueOf(std::string_view class_name) const;
  /// When Tidy() has something to do; nothing: not by time alone.
  std::optional<Millis> NextTidy() const;

 private:
  struct Way {  // to a target
    ReplaceRequest request;
    std::string stand_in;
    Millis next = 0;
  };
  struct Check {  // of a class that is in the map
    Millis since = 0;
    Millis next = 0;
    Millis pause = 0;
    bool holds = false;
  };
  struct Ready {
    bool is_ready = false;
    std::string reason = {};  // of a refusal; empty: there is none
    std::string message = {};
  };

  CallLimits Limits(const std::stop_token& term) const;
  absl::Status Refresh(const std::stop_token& term);
  ConfigMap MapWith(const Entries& entries) const;
  absl::Status Write(std::string_view class_name, const std::string& stand_in,
                     const std::stop_token& term);
  absl::Status Put(ConfigMap next, const std::stop_token& term);
  absl::StatusOr<Ready> Make(const ReplaceRequest& request, const std::string& stand_in,
                             std::string_view preemption_policy, const std::stop_token& term);
  absl::StatusOr<Ready> Prepare(std::string_view preemption_policy, Way* way, Millis now,
                                const std::stop_token& term);
  void See(const std::vector<PriorityClass>& classes);
  absl::Status KeepMapped(Millis now, const std::stop_token& term);
  bool IsMapped(std::string_view stand_in) const;
  bool IsNeeded(std::string_view stand_in) const;
  bool IsOwn(const PriorityClass& one) const;
  absl::Status Delete(const PriorityClass& stand_in, const std::stop_token& term);
  absl::Status AskAll(Millis now, const std::stop_token& term);

  PriorityClassAccess* const classes_;
  ConfigMapAccess* const access_;
  const std::string namespace_;
  bool makes_ = false;
  bool is_known_ = false;  // `map_` is the one that is there
  ConfigMap map_;
  Entries entries_;                                   // of `map_`
  std::map<std::string, Way, std::less<>> ways_;      // by class
  std::map<std::string, Check, std::less<>> checks_;  // by class
  std::map<std::string, Millis, std::less<>> made_;   // stand-ins: since when they are known
  std::set<std::string, std::less<>> seen_;           // all classes of the view
  Entries own_;                                       // those of this map, turned round
  std::map<std::string, Millis, std::less<>> idle_;   // those without need, since when
  std::set<std::string, std::less<>> doomed_;         // whose deletion has not been heard
};

}  // namespace outrigger::penalty
