#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/agent/request.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::pigeon {

/// A resource that counts. Amounts of it are whole: thousandths of a core of cpu, of all others
/// what its quantities say (bytes, pieces).
struct Resource {
  std::string name;
  double weight = 1;
  std::string annotation;  ///< "requested-cpu": how much of it the pods on a node request
};

/// The most of them: a candidate costs their number squared.
inline constexpr size_t kMostResources = 16;

/// By resource, in the order of the settings.
using Amounts = std::vector<double>;

/// The resources that count: which they are, and how much of each a node has, the pods on it
/// request, a pod asks for. Amounts are finite and at least 0, whatever the input. Immutable.
class Resources {
 public:
  explicit Resources(std::vector<Resource> list) : list_(std::move(list)) {}

  /// "cpu,memory=0.5"; InvalidArgument says what is wrong.
  static absl::StatusOr<Resources> Parse(std::string_view text, std::string_view gpu);
  /// The first `count` of the original's five.
  static Resources First(size_t count, std::string_view gpu);

  size_t size() const { return list_.size(); }
  const Resource& operator[](size_t i) const { return list_[i]; }
  /// Its place in the order, or size().
  size_t Find(std::string_view name) const;
  std::vector<double> Weights() const;

  /// Of amounts as the objects of Kubernetes have them.
  Amounts Of(const ResourceList& amounts) const;
  /// What the annotations of `node` say; one that is absent, malformed, negative or not finite is
  /// 0, the last three reported.
  Amounts Annotated(const Request& request, const Node& node) const;
  /// What the pod asks for (PodRequests()), itself as one of "pods". A negative amount is 0, and
  /// reported.
  Amounts AskedBy(const Request& request) const;
  /// The same where nothing is asked of cpu or memory: a pod without requests is no pod without
  /// use. As in the original 10m and 16Mi.
  Amounts AtLeast(const Amounts& asked) const;

  /// An amount for people: "500m", "1.5Gi", "3".
  std::string Text(size_t i, double amount) const;

 private:
  std::vector<Resource> list_;
};

}  // namespace outrigger::pigeon
