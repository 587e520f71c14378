#include "random_pod_testing.h"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "builders.h"

namespace outrigger::testing {
namespace {

constexpr std::array kAmounts = {"0",
                                 "1",
                                 "250m",
                                 "1.5Gi",
                                 "1.0",
                                 "+5",
                                 "33n",
                                 "-2",
                                 "007",
                                 "1e3",
                                 "2E-6",
                                 "1Pi",
                                 "1000E",
                                 "10E",
                                 "12e+05",
                                 "1.234",
                                 "8Ei",
                                 "0.000000001",
                                 "999999999999999999999999",
                                 "-1.50000000000",
                                 "512Mi"};

class Filler {
 public:
  explicit Filler(uint64_t seed) : random_(seed) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (Fill(values), ...);
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  void Fill(std::string& text) {
    const uint64_t length = Below(12) == 0 ? 100 + Below(300) : Below(12);
    text.clear();
    for (uint64_t i = 0; i < length; ++i) text += static_cast<char>(Below(256));
  }
  void Fill(bool& flag) { flag = Below(2) == 1; }
  void Fill(int32_t& number) { number = static_cast<int32_t>(random_() >> Below(64)); }
  void Fill(int64_t& number) { number = static_cast<int64_t>(random_() >> Below(64)); }
  void Fill(Quantity& quantity) {
    quantity = Q(kAmounts[Below(kAmounts.size())]);
    for (uint64_t i = Below(3); i > 0; --i) quantity += Q(kAmounts[Below(kAmounts.size())]);
    if (Below(10) == 0) quantity = Quantity::FromMilli(static_cast<int64_t>(random_()));
  }
  void Fill(TaintEffect& effect) { effect = static_cast<TaintEffect>(Below(3)); }
  void Fill(ResizeCounting& counting) { counting = static_cast<ResizeCounting>(Below(2)); }
  void Fill(SelectorOperator& op) { op = static_cast<SelectorOperator>(Below(6)); }
  void Fill(StringMap& map) {
    for (uint64_t i = Below(4); i > 0; --i) {
      std::string key;
      std::string value;
      (*this)(key, value);
      map.Set(key, value);
    }
  }
  void Fill(ResourceList& list) {
    for (uint64_t i = Below(4); i > 0; --i) {
      std::string name = "cpu";
      Quantity quantity;
      if (Below(2) == 0) Fill(name);
      Fill(quantity);
      list.Set(name, quantity);
    }
  }
  template <typename T>
  void Fill(std::vector<T>& list) {
    list.resize(Below(4));
    for (T& item : list) Fill(item);
  }
  template <typename T>
  void Fill(std::optional<T>& optional) {
    if (Below(3) != 0) Fill(optional.emplace());
  }

  // Taken apart by structured bindings: none compiles once a field is added.
  void Fill(Container& value) {
    auto& [a, b, c, d] = value;
    (*this)(a, b, c, d);
  }
  void Fill(ContainerStatus& value) {
    auto& [a, b, c] = value;
    (*this)(a, b, c);
  }
  void Fill(ContainerEnd& value) {
    auto& [a, b, c, d] = value;
    (*this)(a, b, c, d);
  }
  void Fill(ContainerState& value) {
    auto& [a, b, c, d, e, f, g] = value;
    (*this)(a, b, c, d, e, f, g);
  }
  void Fill(OwnerReference& value) {
    auto& [a, b, c, d] = value;
    (*this)(a, b, c, d);
  }
  void Fill(Toleration& value) {
    auto& [a, b, c, d] = value;
    (*this)(a, b, c, d);
  }
  void Fill(SelectorRequirement& value) {
    auto& [a, b, c] = value;
    (*this)(a, b, c);
  }
  void Fill(LabelSelector& value) {
    auto& [a, b] = value;
    (*this)(a, b);
  }
  void Fill(NodeSelectorTerm& value) {
    auto& [a, b] = value;
    (*this)(a, b);
  }
  void Fill(NodeSelector& value) {
    auto& [a] = value;
    (*this)(a);
  }
  void Fill(PreferredSchedulingTerm& value) {
    auto& [a, b] = value;
    (*this)(a, b);
  }
  void Fill(PodAffinityTerm& value) {
    auto& [a, b, c, d] = value;
    (*this)(a, b, c, d);
  }
  void Fill(WeightedPodAffinityTerm& value) {
    auto& [a, b] = value;
    (*this)(a, b);
  }
  void Fill(HostPort& value) {
    auto& [a, b, c] = value;
    (*this)(a, b, c);
  }
  void Fill(TopologySpreadConstraint& value) {
    auto& [a, b, c, d, e, f, g, h] = value;
    (*this)(a, b, c, d, e, f, g, h);
  }
  void Fill(Affinity& value) {
    auto& [a, b, c, d, e, f] = value;
    (*this)(a, b, c, d, e, f);
  }

  std::mt19937_64 random_;
};

}  // namespace

Pod RandomPod(uint64_t seed) {
  Pod pod;
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac,
         ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as, at, au, av] = pod;
  Filler fill(seed);
  fill(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad,
       ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as, at, au, av);
  return pod;
}

}  // namespace outrigger::testing
