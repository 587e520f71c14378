#include <algorithm>
#include <cstddef>
#include <string>

#include "fmt/format.h"
#include "gang/plan/queue.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::plan {
namespace {

// "it", or "3 members": those for which room is needed at once.
std::string WhoNeedsRoom(const QueueEntry& entry) {
  if (entry.key->dialect == Dialect::kNone) return "it";
  const int64_t needed = std::max<int64_t>(entry.minimum - entry.bound, 1);
  return needed == 1 ? "a member" : fmt::format("{} members at once", needed);
}

// "too little cpu is left on the nodes that take it; it asks for 8".
std::string TooLittleText(const QueueEntry& entry) {
  const std::string& resource = entry.cause->detail;
  if (entry.key->dialect != Dialect::kNone) {
    return fmt::format("too little {} is left for {}", resource, WhoNeedsRoom(entry));
  }
  std::string text = fmt::format("too little {} is left on the nodes that take it", resource);
  if (entry.first == nullptr) return text;
  const Quantity asked = PodRequestsOnNode(*entry.first).Get(resource);
  return asked.IsZero() ? text : fmt::format("{}; it asks for {}", text, asked.ToString());
}

// Of volumes and claims, which allow some nodes only.
std::string ClaimsText(const std::string& lacking) {
  if (lacking.empty()) return "no node that its volumes and claims allow takes it";
  return fmt::format("short on the nodes that its volumes and claims allow: {}", lacking);
}

std::string RefusedText(std::string_view word) {
  return word.find(": ") == std::string_view::npos && word.starts_with("refused")
             ? "kube-scheduler refused the nodes that have room for it"
             : std::string(word);
}

std::string PairText(std::string_view rule) {
  return fmt::format("its {} out nodes that have room", rule);
}

std::string SentenceOf(const QueueEntry& entry) {
  const Cause& cause = *entry.cause;
  switch (cause.kind) {
    case Cause::Class::kNone:
      break;
    case Cause::Class::kMembers:
      return fmt::format("fewer members exist than its minimum of {}", entry.minimum);
    case Cause::Class::kRole:
      return fmt::format("fewer members of role {} exist than the role needs", cause.detail);
    case Cause::Class::kNodes:
      return fmt::format(
          "too few nodes suit {}: compare node selector, node affinity, tolerations and sizes of "
          "nodes",
          WhoNeedsRoom(entry));
    case Cause::Class::kClaims:
      return ClaimsText(cause.detail);
    case Cause::Class::kResource:
      return TooLittleText(entry);
    case Cause::Class::kMinResources:
      return fmt::format("less {} is free in the cluster than its minResources ask for",
                         cause.detail);
    case Cause::Class::kPods:
      return fmt::format("the nodes that take {} hold as many pods as they may",
                         WhoNeedsRoom(entry));
    case Cause::Class::kHostPorts:
      return "host ports that it asks for are in use on nodes that have room";
    case Cause::Class::kAffinity:
      return PairText("required pod affinity rules");
    case Cause::Class::kAntiAffinity:
      return PairText("required pod anti-affinity, or that of other pods, rules");
    case Cause::Class::kSpread:
      return PairText("topology spread constraints rule");
    case Cause::Class::kTopology:
      return fmt::format("no group of nodes with one {} has room for {}", cause.detail,
                         WhoNeedsRoom(entry));
    case Cause::Class::kWaiter:
      return fmt::format("its member {} waits to be bound and has lost its place", cause.detail);
    case Cause::Class::kRefused:
      return RefusedText(entry.lacks);
    case Cause::Class::kShape:
      return "there is room for each member, but not for all together";
    case Cause::Class::kEffort:
      return "the search for nodes was given up; it may fit";
    case Cause::Class::kTurn:
      return "it has a place, and waits until one before it in the queue is bound";
  }
  return std::string(entry.lacks);
}

}  // namespace

std::string WhyText(const QueueEntry& entry) {
  return Shortened(entry.cause == nullptr ? std::string(entry.lacks) : SentenceOf(entry),
                   kLongestWhy);
}

}  // namespace outrigger::plan
