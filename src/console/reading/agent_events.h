#pragma once

#include <optional>
#include <string>
#include <string_view>

// What agent gang has told people of gangs, in Events.

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

}  // namespace outrigger::cli
