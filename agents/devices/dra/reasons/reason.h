#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/dra/allocator.h"

namespace outrigger::dra {

/// A request, or an alternative of one, on one node.
struct AskReport {
  std::string claim;  ///< its name
  std::string label;  ///< "request" or "request/alternative"
  std::string device_class;
  size_t wanted = 0;  ///< devices; of an ask for all: those that match, whoever has them
  size_t free = 0;    ///< that would serve it by themselves
  std::vector<DeviceView> devices;
};

/// Why a node has no devices for the claims of a pod. Text for people.
struct Reason {
  std::string text;
  /// The cheapest single change with which the node would have them, tried out: "count 2 in request
  /// r". Empty: there is none, or the question does not arise.
  std::string help;
  /// How much it changes: devices that are given back or not asked for; 2 for a selector or a
  /// constraint. 0: no change would do.
  int64_t cost = 0;
  std::vector<AskReport> asks;
};

/// Of a node whose answer was `answer`, which is not kFits.
Reason Explain(const Allocator& allocator, const Node& node, std::span<const Claim> claims,
               const Answer& answer);

/// The asks of `claims` on `node`.
std::vector<AskReport> Report(const Allocator& allocator, const Node& node,
                              std::span<const Claim> claims);

}  // namespace outrigger::dra
