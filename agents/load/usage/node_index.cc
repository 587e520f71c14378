#include "load/usage/node_index.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "load/usage/prometheus_answer.h"
#include "load/usage/queries.h"

namespace outrigger::usage {
namespace {

using Hit = NodeIndex::Hit;

constexpr size_t kAmbiguous = std::numeric_limits<size_t>::max();
constexpr std::array kSurestFirst = {MatchedBy::kNodeLabel, MatchedBy::kInstance,
                                     MatchedBy::kInstancePort, MatchedBy::kUname,
                                     MatchedBy::kWithoutDomain};

/// Returns the one text of a name or an address. A kubelet writes its host's name in lower case. Of
/// a name the dot at its end, of an address brackets and zone do not count; an IPv4 address within
/// IPv6 is that IPv4 address.
std::string Canonical(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (name.ends_with('.')) name.remove_suffix(1);
  std::string text(name);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), &v6) != 1) return text;
  std::array<char, INET6_ADDRSTRLEN> address{};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, &v6.s6_addr[12], address.data(), address.size());
  } else {
    inet_ntop(AF_INET6, &v6, address.data(), address.size());
  }
  return address.data();
}

void Add(std::string_view key, size_t node, std::map<std::string, size_t, std::less<>>* table) {
  if (key.empty()) return;
  const auto [entry, is_new] = table->try_emplace(Canonical(key), node);
  if (!is_new && entry->second != node) entry->second = kAmbiguous;
}

std::optional<size_t> Find(std::string_view key,
                           const std::map<std::string, size_t, std::less<>>& table) {
  const auto found = key.empty() ? table.end() : table.find(Canonical(key));
  if (found == table.end() || found->second == kAmbiguous) return std::nullopt;
  return found->second;
}

struct HostPort {
  std::string_view host, port;
};

/// Returns the first part of a name with a domain; empty for an address, and for a name without.
std::string_view WithoutDomain(std::string_view host) {
  in_addr v4{};
  if (inet_pton(AF_INET, std::string(host).c_str(), &v4) == 1) return {};
  if (host.ends_with('.')) host.remove_suffix(1);
  const size_t dot = host.find('.');
  return dot == std::string_view::npos ? std::string_view() : host.substr(0, dot);
}

/// Returns "10.0.0.1:9100" of "http://10.0.0.1:9100/metrics".
std::string_view WithoutScheme(std::string_view instance) {
  const size_t scheme = instance.find("://");
  if (scheme == std::string_view::npos) return instance;
  instance.remove_prefix(scheme + 3);
  return instance.substr(0, instance.find('/'));
}

/// Returns the parts of "[::1]:9100", with the brackets; the host alone where there is no port.
HostPort SplitInstance(std::string_view instance) {
  const size_t colon = instance.rfind(':');
  if (colon == std::string_view::npos) return {instance, {}};
  return {instance.substr(0, colon), instance.substr(colon + 1)};
}

/// A series of a node, with what says so.
struct Candidate {
  const Labels* labels = nullptr;
  std::vector<Hit> hits;

  const Hit* At(MatchedBy by) const {
    const auto found =
        std::find_if(hits.begin(), hits.end(), [by](const Hit& hit) { return hit.by == by; });
    return found == hits.end() ? nullptr : &*found;
  }
};

std::string UseOf(std::string_view label, std::string_view value) {
  return fmt::format("{}={}", label, value);
}

/// How many series have each label=value by which one could be selected.
class Uses {
 public:
  explicit Uses(std::span<const Series> series) {
    for (const Series& one : series) {
      for (const std::string_view label : {"node", "instance", "nodename"}) {
        const std::string_view value = LabelOf(one.labels, label);
        if (!value.empty()) ++counts_[UseOf(label, value)];
      }
    }
  }
  bool IsAlone(std::string_view label, std::string_view value) const {
    const auto found = counts_.find(UseOf(label, value));
    return found != counts_.end() && found->second == 1;
  }

 private:
  std::map<std::string, size_t, std::less<>> counts_;
};

/// Narrows the candidates down to those that the surest labels name.
std::vector<const Candidate*> Narrowed(const std::vector<Candidate>& all) {
  std::vector<const Candidate*> left;
  left.reserve(all.size());
  for (const Candidate& candidate : all) left.push_back(&candidate);
  for (const MatchedBy by : kSurestFirst) {
    std::vector<const Candidate*> narrower;
    std::copy_if(left.begin(), left.end(), std::back_inserter(narrower),
                 [by](const Candidate* candidate) { return candidate->At(by) != nullptr; });
    if (!narrower.empty()) left = std::move(narrower);
    if (left.size() <= 1) break;
  }
  return left;
}

NodeMatch Several(const std::vector<const Candidate*>& left) {
  std::vector<const Labels*> labels;
  labels.reserve(left.size());
  for (const Candidate* candidate : left) labels.push_back(candidate->labels);
  return {.selector = {},
          .gap = Gap::kSeveralSeries,
          .detail = fmt::format("{} series, with {}; select one by a label matcher", left.size(),
                                DifferencesOf(labels))};
}

NodeMatch Choose(const std::vector<Candidate>& candidates, const Uses& uses) {
  if (candidates.empty()) {
    return {.selector = {},
            .gap = Gap::kNoSeries,
            .detail = "no series has its name or InternalIP in node, instance or nodename"};
  }
  const std::vector<const Candidate*> left = Narrowed(candidates);
  if (left.size() > 1) return Several(left);
  for (const Hit& hit : left.front()->hits) {
    const std::string_view value = LabelOf(*left.front()->labels, hit.label);
    if (!IsQuotable(value) || !uses.IsAlone(hit.label, value)) continue;
    return {.selector = Selector{.label = std::string(hit.label),
                                 .value = std::string(value),
                                 .by_uname = hit.by == MatchedBy::kUname},
            .gap = Gap::kNone,
            .detail = {}};
  }
  return {.selector = {},
          .gap = Gap::kSeveralSeries,
          .detail = "other series have the same labels node and instance"};
}

}  // namespace

std::string Selector::Text() const {
  return fmt::format("{}={}{}", label, value, by_uname ? " (node_uname_info)" : "");
}

NodeIndex::NodeIndex(std::span<const NodeQuestion> nodes, int exporter_port)
    : count_(nodes.size()), port_(std::to_string(exporter_port)) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    Add(nodes[i].name, i, &by_name_);
    Add(nodes[i].name, i, &by_host_);
    Add(WithoutDomain(nodes[i].name), i, &by_first_part_);
    for (const std::string& address : nodes[i].addresses) Add(address, i, &by_host_);
  }
}

void NodeIndex::LearnNames(std::span<const Series> names) {
  for (const Series& name : names) {
    const std::string_view nodename = LabelOf(name.labels, "nodename");
    std::optional<size_t> node = Find(nodename, by_name_);
    if (!node) node = OfFirstPart(nodename);
    if (node) Add(LabelOf(name.labels, "instance"), *node, &by_uname_);
  }
}

// Of two names one has no domain: those of two domains are two machines.
std::optional<size_t> NodeIndex::OfFirstPart(std::string_view host) const {
  const std::string_view first = WithoutDomain(host);
  return first.empty() ? Find(host, by_first_part_) : Find(first, by_name_);
}

std::optional<Hit> NodeIndex::OfInstance(std::string_view given) const {
  const std::string_view instance = WithoutScheme(given);
  if (const std::optional<size_t> node = Find(instance, by_host_)) {
    return Hit{.node = *node, .by = MatchedBy::kInstance, .label = "instance"};
  }
  const HostPort parts = SplitInstance(instance);
  const std::optional<size_t> node = Find(parts.host, by_host_);
  if (!node) return std::nullopt;
  return Hit{.node = *node,
             .by = parts.port == port_ ? MatchedBy::kInstance : MatchedBy::kInstancePort,
             .label = "instance"};
}

std::vector<Hit> NodeIndex::HitsOf(const Labels& labels) const {
  std::vector<Hit> hits;
  const auto add = [&hits](const std::optional<Hit>& hit) {
    if (hit && (hits.empty() || hits.front().node == hit->node)) hits.push_back(*hit);
  };
  const auto add_node = [&add](const std::optional<size_t>& node, MatchedBy by,
                               std::string_view label) {
    if (node) add(Hit{.node = *node, .by = by, .label = label});
  };
  const std::string_view instance = LabelOf(labels, "instance");
  add_node(Find(LabelOf(labels, "node"), by_name_), MatchedBy::kNodeLabel, "node");
  add(OfInstance(instance));
  add_node(Find(instance, by_uname_), MatchedBy::kUname, "instance");
  add_node(Find(LabelOf(labels, "nodename"), by_name_), MatchedBy::kUname, "nodename");
  add_node(OfFirstPart(SplitInstance(WithoutScheme(instance)).host), MatchedBy::kWithoutDomain,
           "instance");
  return hits;
}

std::vector<NodeMatch> NodeIndex::Match(std::span<const Series> series) const {
  std::vector<std::vector<Candidate>> candidates(count_);
  for (const Series& one : series) {
    std::vector<Hit> hits = HitsOf(one.labels);
    if (hits.empty()) continue;
    std::vector<Candidate>& of_node = candidates[hits.front().node];
    of_node.push_back({.labels = &one.labels, .hits = std::move(hits)});
  }
  const Uses uses(series);
  std::vector<NodeMatch> matches;
  matches.reserve(count_);
  for (const std::vector<Candidate>& of_node : candidates) matches.push_back(Choose(of_node, uses));
  return matches;
}

}  // namespace outrigger::usage
