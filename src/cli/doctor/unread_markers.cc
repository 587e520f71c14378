#include "cli/doctor/unread_markers.h"

#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/plan/group.h"
#include "outrigger/plan/notes.h"

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
  (void)plan::MembershipOf(pod, &notes);
  for (std::string& text : notes.texts) {
    Kind& kind = kinds_[std::move(text)];
    if (kind.pods++ == 0) kind.example = fmt::format("{}/{}", pod.namespace_, pod.name);
  }
}

void UnreadMarkers::AddTo(Findings* findings) const {
  for (const auto& [text, kind] : kinds_) {
    findings->Add(FindingId::kMarkerUnread, Place{"pod " + kind.example, 0, 0},
                  fmt::format("{} {}: {}", kind.pods, kind.pods == 1 ? "pod" : "pods", text),
                  "a complete marker that is read, such as the labels podGroup and minAvailable "
                  "(docs/pod-groups.md lists all)");
  }
}

}  // namespace outrigger::cli
