#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/usage/prometheus_answer.h"
#include "load/usage/source.h"

namespace outrigger::usage {

/// How a series names its node, the surest first.
enum class MatchedBy : uint8_t {
  kNodeLabel,      // label node is the node's name
  kInstance,       // label instance is its name or InternalIP, alone or with the exporter's port
  kInstancePort,   // the same with another port
  kUname,          // label instance is that of a node_uname_info with the node's name as nodename
  kWithoutDomain,  // label instance is its name, of which one has a domain
};

/// By which label, and value of it, a node's series are selected.
struct Selector {
  std::string label;      // "instance"
  std::string value;      // "10.0.0.1:9100"
  std::string_view what;  // that the value is: "node name", "address", "host name"

  /// "instance=10.0.0.1:9100 (address)"
  std::string Text() const;
};

/// Where the series of one node are, or why that is not known.
struct NodeMatch {
  std::optional<Selector> selector;
  Gap gap = Gap::kNoSeries;
  std::string detail;
};

/// Finds the node of a series by the series' labels: node, instance, nodename. Names are compared
/// without regard to case, addresses as addresses. An address or a name that two nodes have is of
/// neither. Const functions are thread-safe.
class NodeIndex {
 public:
  /// What says that a series is a node's.
  struct Hit {
    size_t node = 0;  // index of the question
    MatchedBy by = MatchedBy::kNodeLabel;
    std::string_view label;  // "instance"
    std::string_view what;   // as Selector::what
  };

  /// The questions must outlive this. `exporter_port`: of the exporter that is meant where an
  /// address has several.
  NodeIndex(std::span<const NodeQuestion> nodes, int exporter_port);

  /// Learns the instances of nodes from series of node_uname_info.
  void LearnNames(std::span<const Series> names);

  /// Every way in which the labels name one node, the surest first. Empty: they name none.
  std::vector<Hit> HitsOf(const Labels& labels) const;

  /// For each question the selector of its series. `series` has all that there are now.
  std::vector<NodeMatch> Match(std::span<const Series> series) const;

 private:
  using Table = std::map<std::string, size_t, std::less<>>;

  std::optional<Hit> OfInstance(std::string_view given) const;
  Hit HitOf(size_t node, MatchedBy by, std::string_view host) const;
  std::optional<size_t> OfFirstPart(std::string_view host) const;

  size_t count_;
  std::string port_;
  Table by_name_;
  Table by_host_;        // by names and addresses, without a port
  Table by_uname_;       // by instances
  Table by_first_part_;  // by names without the domain that they have
};

}  // namespace outrigger::usage
