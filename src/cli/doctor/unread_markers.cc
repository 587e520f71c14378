#include "cli/doctor/unread_markers.h"

#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gang/plan/group.h"
#include "gang/plan/notes.h"

namespace outrigger::cli {
namespace {

// Collects the texts about markers, which are the same for all pods with the same kind of marker.
class MarkerTexts final : public plan::Notes {
 public:
  void Add(plan::NoteKind kind, std::string_view /*about*/, std::string_view text) override {
    if (kind == plan::NoteKind::kUnreadMarker) texts.emplace_back(text);
  }
  std::vector<std::string> texts;
};

}  // namespace

void UnreadMarkers::Take(const Pod& pod) {
  MarkerTexts notes;
  const auto member = plan::MembershipOf(pod, &notes);
  for (const std::string& text : notes.texts) Count(pod, text, &kinds_);
  if (!member || member->dialect != plan::Dialect::kLabels) return;
  Group& group = groups_[fmt::format("{}/{}", member->namespace_, member->name)];
  group.has_minimum |= member->minimum != 0;
  if (!group.has_minimum) Count(pod, plan::NoMinimumText(member->minimum_key), &group.kinds);
}

void UnreadMarkers::Count(const Pod& pod, const std::string& text, Kinds* kinds) {
  Kind& kind = (*kinds)[text];
  if (kind.pods++ == 0) kind.example = fmt::format("{}/{}", pod.namespace_, pod.name);
}

void UnreadMarkers::AddTo(Findings* findings) const {
  Kinds kinds = kinds_;
  for (const auto& [name, group] : groups_) {
    if (group.has_minimum) continue;
    for (const auto& [text, kind] : group.kinds) {
      Kind& all = kinds[text];
      if (all.pods == 0) all.example = kind.example;
      all.pods += kind.pods;
    }
  }
  for (const auto& [text, kind] : kinds) {
    findings->Add(FindingId::kMarkerUnread, Place{"pod " + kind.example, 0, 0},
                  fmt::format("{} {}: {}", kind.pods, kind.pods == 1 ? "pod" : "pods", text),
                  "a complete marker that is read, such as the labels podGroup and minAvailable "
                  "(docs/pod-groups.md lists all)");
  }
}

}  // namespace outrigger::cli
