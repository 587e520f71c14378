#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cluster/packing.h"
#include "outrigger/k8s/pod.h"

// The two directions of Fields().

namespace outrigger::cluster {

// What a pod consists of, in the order in which it is packed and unpacked: Fields(value, archive)
// calls archive(field...) with every field, so that both directions name them once. T is the type
// named in the comment, or that type const.

template <typename T, typename Bare>
concept Is = std::is_same_v<std::remove_const_t<T>, Bare>;

template <Is<Container> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.name, value.requests, value.limits, value.restart_always);
}
template <Is<ContainerStatus> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.name, value.requests, value.allocated);
}
template <Is<ContainerEnd> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.exit_code, value.reason, value.started, value.finished);
}
template <Is<ContainerState> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.name, value.init, value.restarts, value.running_since, value.waiting_reason,
          value.end, value.last_end);
}
template <Is<OwnerReference> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.kind, value.name, value.uid, value.api_version);
}
template <Is<Toleration> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.key, value.value, value.exists, value.effect);
}
template <Is<SelectorRequirement> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.key, value.op, value.values);
}
template <Is<LabelSelector> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.match_labels, value.match_expressions);
}
template <Is<NodeSelectorTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.match_expressions, value.match_fields);
}
template <Is<NodeSelector> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.terms);
}
template <Is<PreferredSchedulingTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.weight, value.preference);
}
template <Is<PodAffinityTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.label_selector, value.namespaces, value.namespace_selector, value.topology_key);
}
template <Is<WeightedPodAffinityTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.weight, value.term);
}
template <Is<Affinity> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.required_node, value.preferred_node, value.required_pod, value.preferred_pod,
          value.required_pod_anti, value.preferred_pod_anti);
}

template <Is<HostPort> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.ip, value.protocol, value.port);
}
template <Is<TopologySpreadConstraint> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.max_skew, value.topology_key, value.hard, value.label_selector, value.min_domains,
          value.honor_affinity, value.honor_taints, value.match_label_keys);
}

/// The fields that PodRecord does not read by itself, but for those below and PodTimes.
template <Is<Pod> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.containers, value.init_containers, value.overhead, value.pod_requests,
          value.pod_limits, value.nominated_node_name, value.scheduler_name,
          value.priority_class_name, value.node_selector, value.affinity, value.tolerations,
          value.generation, value.being_deleted, value.controller, value.scheduling_gates,
          value.qos_class, value.unscheduled_reason, value.unscheduled_message,
          value.container_statuses, value.init_container_statuses, value.status_requests,
          value.status_allocated, value.resize_infeasible, value.resize_counting);
}

/// What few pods have. Of a pod that has nothing of it each is a zero byte when packed.
template <Is<Pod> T, typename Archive>
void RareFields(T& value, Archive& archive) {
  archive(value.host_ports, value.topology_spread, value.never_preempts, value.scheduling_group,
          value.claims, value.resource_claims, value.claims_to_come, value.workload, value.images);
}

/// What the kubelet reports of a pod's life, but for the times.
template <Is<Pod> T, typename Archive>
void StateFields(T& value, Archive& archive) {
  archive(value.status_reason, value.container_states);
}

/// Appends values to a text.
class PackArchive {
 public:
  explicit PackArchive(std::string* out) : out_(out) {}

  template <typename... Values>
  void operator()(const Values&... values) {
    (Put(values), ...);
  }

 private:
  void Put(const std::string& text) { PackText(text, out_); }
  void Put(const Quantity& quantity) { QuantityCodec::Pack(quantity, out_); }
  void Put(const StringMap& map) {
    PackNumber(map.size(), out_);
    for (const auto& [key, value] : map) (*this)(key, value);
  }
  void Put(const ResourceList& list) {
    PackNumber(list.size(), out_);
    for (const auto& [name, quantity] : list) (*this)(name, quantity);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    PackNumber(list.size(), out_);
    for (const T& item : list) Put(item);
  }
  template <typename T>
  void Put(const std::optional<T>& optional) {
    Put(optional.has_value());
    if (optional.has_value()) Put(*optional);
  }
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      *out_ += static_cast<char>(value);
    } else if constexpr (std::is_integral_v<T>) {
      PackSigned(value, out_);
    } else {
      Fields(value, *this);
    }
  }

  std::string* out_;
};

/// Reads the values back, in the same order, into values in their default state.
class UnpackArchive {
 public:
  explicit UnpackArchive(const char* at) : at_(at) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Get(values), ...);
  }
  const char* at() const { return at_; }

 private:
  size_t Count() { return static_cast<size_t>(UnpackNumber(&at_)); }

  void Get(std::string& text) { text = UnpackText(&at_); }
  void Get(StringMap& map) {
    for (size_t left = Count(); left > 0; --left) {
      const std::string_view key = UnpackText(&at_);
      map.Append(key, UnpackText(&at_));
    }
  }
  void Get(ResourceList& list) {
    for (size_t left = Count(); left > 0; --left) {
      const std::string_view name = UnpackText(&at_);
      list.Append(name, QuantityCodec::Unpack(&at_));
    }
  }
  template <typename T>
  void Get(std::vector<T>& list) {
    list.resize(Count());
    for (T& item : list) Get(item);
  }
  template <typename T>
  void Get(std::optional<T>& optional) {
    bool has_value = false;
    Get(has_value);
    if (has_value) Get(optional.emplace());
  }
  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      value = static_cast<T>(*at_++);
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(UnpackSigned(&at_));
    } else {
      Fields(value, *this);
    }
  }

  const char* at_;
};

}  // namespace outrigger::cluster
