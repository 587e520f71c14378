#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger {

/// Reports input that an agent could not use. Thread-safe.
///
/// A malformed value is ignored; the request does not fail. It is counted
/// (outrigger_malformed_values_total), and a warning is logged once per agent, field and value.
class Diagnostics {
 public:
  virtual ~Diagnostics() = default;
  /// `field` is e.g. an annotation's key; `accepted` describes valid values.
  virtual void Malformed(std::string_view node, std::string_view field, std::string_view value,
                         std::string_view accepted) = 0;
};

/// The nodes of a request, in the order in which they came. Elements live as long as the request.
class NodeList {
 public:
  class Iterator {
   public:
    explicit Iterator(const NodeRef* at) : at_(at) {}
    const Node& operator*() const { return *at_->node; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const NodeRef* at_;
  };

  NodeList() = default;
  explicit NodeList(std::span<const NodeRef> nodes) : nodes_(nodes) {}

  size_t size() const { return nodes_.size(); }
  bool empty() const { return nodes_.empty(); }
  const Node& operator[](size_t i) const { return *nodes_[i].node; }
  /// Node::revision of the node at `i`, without a look at the node.
  uint64_t Revision(size_t i) const { return nodes_[i].revision; }
  Iterator begin() const { return Iterator(nodes_.data()); }
  Iterator end() const { return Iterator(nodes_.data() + nodes_.size()); }

 private:
  std::span<const NodeRef> nodes_;
};

/// One call of the scheduler: may `pod` run on each of `nodes`, or how well does each fit?
///
/// Valid during the call only. An agent may be asked from several threads at once.
struct Request {
  const Pod& pod;
  NodeList nodes;
  Diagnostics& diagnostics;
  /// True if the reasons of scores are shown (explain, debug log).
  bool explaining = false;
  /// Stop is requested when the caller no longer waits for the answer. A stage that takes long
  /// should check it now and then, and return any Status.
  std::stop_token abandoned = {};

  /// The reason of a score, formatted only if it is shown.
  template <typename... Args>
  std::string Why(fmt::format_string<Args...> format, Args&&... args) const {
    return explaining ? fmt::format(format, std::forward<Args>(args)...) : std::string();
  }

  /// Annotation `key` of `node` as a base-10 integer (optional sign, no blanks); nothing if it is
  /// absent or malformed, the latter reported to `diagnostics`.
  std::optional<int64_t> AnnotationInt(const Node& node, std::string_view key) const;

  /// Annotation `key` of `node` as a decimal floating-point number, "NaN" and "Inf" included;
  /// nothing if it is absent or malformed or out of range, the latter two reported.
  std::optional<double> AnnotationDouble(const Node& node, std::string_view key) const;
};

}  // namespace outrigger
