#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/dra/allocator.h"
#include "devices/dra/expressions.h"
#include "devices/dra/ground.h"
#include "devices/dra/objects.h"

namespace outrigger::dra {

using Classes = std::map<std::string_view, const Class*, std::less<>>;

/// Why kube-scheduler gives up, for the whole cycle.
struct Fault {
  std::string text;
  bool unsure = false;
};

/// What an expression's answer is for a device of an ask.
enum class Selected : uint8_t { kNo, kYes, kError };

/// One ask on one node.
struct AskPlan {
  const Request* request = nullptr;
  const Ask* ask = nullptr;
  const Class* of_class = nullptr;
  std::string label;               ///< "request" or "request/alternative"
  size_t wanted = 0;               ///< devices
  std::vector<size_t> all;         ///< of an ask for all: which spots
  std::vector<Selected> selected;  ///< by spot; of devices in use only where that does not matter
};

/// The most devices of a claim: AllocationResultsMaxSize of resource.k8s.io.
inline constexpr size_t kMostResults = 32;

/// What is asked of one node. As upstream's Allocate() and validateDeviceRequest(), v0.37.
class Plan {
 public:
  /// All outlive it.
  Plan(const Classes& classes, const Ground& ground, Expressions* expressions,
       std::span<const Claim> claims)
      : classes_(classes), ground_(ground), expressions_(*expressions), claims_(claims) {}

  /// Looks at each request. Nothing: they can be searched for.
  std::optional<Fault> Prepare();

  std::span<const Claim> claims() const { return claims_; }
  const Ground& ground() const { return ground_; }
  const std::vector<AskPlan>& asks(size_t claim, size_t request) const {
    return asks_[claim][request];
  }
  /// Some ask is for all devices: which of them are busy decides then, and no device is like
  /// another.
  bool has_all() const { return has_all_; }
  /// Whether some expression or amount fails on a device that may be tried: when it is touched the
  /// search ends, so nothing may be skipped.
  bool has_errors() const { return has_errors_; }
  /// An ask that is too much by itself, whatever else is taken: nothing serves its request.
  bool IsHopeless() const;
  /// Spots of one kind are the same to every ask and constraint while nothing of them is taken.
  uint32_t KindOf(size_t spot) const { return kinds_[spot]; }

  /// What the expressions say of a spot, and where they fail, how.
  Selected Select(const Claim& claim, const AskPlan& ask, const Spot& spot, Fault* fault) const;
  /// The same, and which expression is false: those of the class come first.
  Selected Select(const Claim& claim, const AskPlan& ask, const Spot& spot, Fault* fault,
                  bool* of_class, size_t* number) const;

 private:
  std::optional<Fault> PrepareAsk(const Claim& claim, const Request& request, const Ask& ask,
                                  std::vector<AskPlan>* to);
  std::optional<Fault> FindAll(const Claim& claim, AskPlan* plan);
  std::optional<Fault> PrepareClaim(const Claim& claim);
  void SelectAll(const Claim& claim, AskPlan* plan);
  void FindKinds();
  void AddToKind(size_t spot, std::string* text) const;
  bool IsServable(const AskPlan& plan) const;

  const Classes& classes_;
  const Ground& ground_;
  Expressions& expressions_;
  const std::span<const Claim> claims_;
  std::vector<std::vector<std::vector<AskPlan>>> asks_;  // by claim and request
  std::vector<uint32_t> kinds_;
  bool has_errors_ = false;
  bool has_all_ = false;
};

}  // namespace outrigger::dra
