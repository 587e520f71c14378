#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"

namespace outrigger {

/// A short, fixed name for a kind of rejection: the label `reason` of metrics. Only string literals
/// convert, so the number of classes is bounded.
class ReasonClass {
 public:
  template <size_t N>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is meant to convert.
  consteval ReasonClass(const char (&literal)[N]) : text_(literal, N - 1) {}

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// An agent's expected answer about one node. (A failure is an absl::Status, never a Verdict.)
///
/// A reason is for people who read the pod's Events. It must say what would help, name no node, and
/// be *stable for the same state* (no counters, no times): kube-scheduler patches it into the pod's
/// condition, and a changed text requeues the pod. Write "percent", not '%': kube-scheduler treats
/// the text of an Event as a format (the engine replaces remaining ones).
class Verdict {
 public:
  enum class Kind : uint8_t {
    kFits,
    kRejected,      ///< not now; preempting pods on this node might help
    kUnresolvable,  ///< not now, and preemption on this node cannot help
    kLeftOut,       ///< as kUnresolvable, but the answer does not name the node
  };

  /// The node fits.
  Verdict() = default;
  static Verdict Fits() { return {}; }

  template <typename... Args>
  static Verdict Rejected(ReasonClass reason_class, fmt::format_string<Args...> reason,
                          Args&&... args) {
    return {Kind::kRejected, reason_class, fmt::format(reason, std::forward<Args>(args)...)};
  }
  template <typename... Args>
  static Verdict Unresolvable(ReasonClass reason_class, fmt::format_string<Args...> reason,
                              Args&&... args) {
    return {Kind::kUnresolvable, reason_class, fmt::format(reason, std::forward<Args>(args)...)};
  }

  /// The node does not fit for the same reason as another node of the response, which has the
  /// reason. Response and message stay small for any number of nodes. Costs almost nothing.
  static Verdict LeftOut() {
    static const Rejection left_out{Kind::kLeftOut, "", ""};
    // Has no owner, so that thousands of users keep no reference count.
    return Verdict(std::shared_ptr<const Rejection>(std::shared_ptr<void>(), &left_out));
  }

  Kind kind() const { return fits() ? Kind::kFits : rejection_->kind; }
  bool fits() const { return rejection_ == nullptr; }
  /// Empty if the node fits or is left out, like the reason.
  std::string_view reason_class() const {
    return fits() ? std::string_view() : rejection_->reason_class;
  }
  const std::string& reason() const {
    static const std::string none;
    return fits() ? none : rejection_->reason;
  }

 private:
  struct Rejection {
    Kind kind;
    std::string_view reason_class;
    std::string reason;
  };

  Verdict(Kind kind, ReasonClass reason_class, std::string reason)
      : rejection_(std::make_shared<const Rejection>(
            Rejection{kind, reason_class.text(), std::move(reason)})) {}

  explicit Verdict(std::shared_ptr<const Rejection> rejection) : rejection_(std::move(rejection)) {}

  // Null: the node fits. A pointer, so that the verdicts of thousands of nodes stay in the
  // processor's nearer caches: most nodes fit.
  std::shared_ptr<const Rejection> rejection_;
};

/// A text that is usually empty and then takes eight bytes.
class RareText {
 public:
  RareText() = default;
  // NOLINTBEGIN(google-explicit-constructor): a text is meant to convert.
  RareText(const std::string& text)
      : text_(text.empty() ? nullptr : std::make_unique<const std::string>(text)) {}
  RareText(const char* text) : RareText(std::string(text)) {}
  // NOLINTEND(google-explicit-constructor)

  bool empty() const { return text_ == nullptr; }
  const std::string& text() const {
    static const std::string none;
    return empty() ? none : *text_;
  }
  friend bool operator==(const RareText& a, std::string_view b) { return a.text() == b; }

 private:
  std::unique_ptr<const std::string> text_;
};

/// An agent's wish for one node: 0 (worst) to 1 (best), NaN and values outside are clamped and
/// counted as faults of the agent. `why` is Request::Why(...): empty unless reasons are shown.
struct NodeScore {
  double value = 0;
  RareText why;
};

}  // namespace outrigger
