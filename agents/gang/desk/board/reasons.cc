#include "gang/desk/reasons.h"

#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "outrigger/base/text.h"

namespace outrigger::desk {

std::string WaitingText(const plan::UnitKey& gang, std::string_view word) {
  return fmt::format("gang {} waits: {} ({})", TextOf(gang), word, kPointer);
}

// "0/3 nodes are available: 1 gang default/train waits: cpu (see outrigger explain gang), 2
// node(s) had a taint. preemption: ...".
std::string RefusalText(std::string_view condition) {
  constexpr std::string_view kHead = " nodes are available: ";
  const size_t head = condition.find(kHead);
  if (head == std::string_view::npos) return "";
  condition.remove_prefix(head + kHead.size());
  condition = condition.substr(0, condition.find(". "));
  std::vector<std::string> reasons;
  for (const std::string& part : SplitList(condition)) {
    const size_t text = part.find_first_not_of("0123456789");
    if (text == std::string::npos) continue;
    if (text > 0) {
      reasons.push_back(part.substr(part[text] == ' ' ? text + 1 : text));
    } else if (!reasons.empty()) {
      reasons.back() += "; " + part;  // a reason with a comma
    }
  }
  std::erase_if(reasons,
                [](const std::string& reason) { return reason.find(kOurs) != std::string::npos; });
  if (reasons.empty()) return "";
  return Shortened(fmt::format("refused by kube-scheduler: {}", fmt::join(reasons, "; ")),
                   /*longest=*/512);  // it comes to be in the condition of each member
}

std::string WaitingText(const plan::GroupState& group) {
  // The text stays the same until the server changes, so it wakes no pod.
  const bool is_stable = group.cause == plan::GroupCause::kUnknownVersion;
  return WaitingText(group.key, is_stable ? std::string_view(group.text) : TextOf(group.cause));
}

std::string CountingText(const plan::GroupState& group) {
  // Each change of a condition is a write, and wakes its pod: that is too much for large groups.
  constexpr int64_t kMostCounted = 100;
  const bool counts =
      group.cause == plan::GroupCause::kTooFewMembers && group.minimum <= kMostCounted;
  return counts ? WaitingText(group.key, group.text) : WaitingText(group);
}

}  // namespace outrigger::desk
