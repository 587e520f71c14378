#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "outrigger/plan/group.h"

// What agent gang has told people of gangs, in Events: it knows more than a plan from the cluster
// as it is, such as what kube-scheduler refused.

namespace outrigger::cli {

/// The reportingController of the Events of agents.
inline constexpr std::string_view kReportingController = "outrigger";

/// What an Event is about.
struct ToldAbout {
  std::string kind;  ///< "PodGroup", or "Pod" where a gang has no object
  std::string uid;
};

struct Told {
  std::string reason;  ///< "GangWaiting"
  std::string note;    ///< "gang shop/train waits: ..."
  std::string time;    ///< when it was last said, "2026-11-24T03:00:12.123456Z"; may be empty
  ToldAbout about;
};

/// Reads the JSON of an Event of events.k8s.io/v1; nothing for what is none.
std::optional<Told> ReadTold(std::string_view json);

/// The last of `all` that is about that gang, without the words that name it and in whole seconds;
/// nothing if there is none. What was told of another one of that name is not: its object had
/// another UID or, of a gang without one, it was told before `oldest`, when the oldest member was
/// created, in seconds since 1970 (0: not known).
std::optional<Told> LastTold(std::span<const Told> all, const plan::UnitKey& gang, int64_t oldest);

}  // namespace outrigger::cli
