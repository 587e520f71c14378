#include "devices/dra/reasons/remedies.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"

namespace outrigger::dra {
namespace {

// A node is not worth more than this.
constexpr int64_t kMostSteps = 4 * Allocator::kSteps;
constexpr size_t kMostTrials = 64;
constexpr int64_t kOfRule = 2;
constexpr int64_t kMostLess = 32;  // devices of a claim

// One change: of the claims, or of what others have.
struct Change {
  int64_t cost = 0;
  std::string text;
  std::function<void(std::vector<Claim>*)> edit = {};
  std::set<std::string> without = {};
};

class Changes {
 public:
  Changes(std::span<const Claim> claims, const std::vector<AskReport>& asks)
      : claims_(claims), asks_(asks) {}

  // Cheapest first; of equal ones, those that ask the least of the pod's owner.
  std::vector<Change> All() {
    AddGiveBacks();
    AddTolerations();
    for (size_t claim = 0; claim < claims_.size(); ++claim) {
      AddCounts(claim);
      AddConstraints(claim);
      AddSelectors(claim);
    }
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.cost < b.cost; });
    return std::move(changes_);
  }

 private:
  std::string In(size_t claim) const {
    return claims_.size() == 1 ? "" : fmt::format("claim {}, ", claims_[claim].name);
  }

  void Add(int64_t cost, std::string text, std::function<void(std::vector<Claim>*)> edit) {
    changes_.push_back({cost, std::move(text), std::move(edit)});
  }
  void AddGiveBack(int64_t cost, std::string text, std::set<std::string> without) {
    changes_.push_back({cost, std::move(text), {}, std::move(without)});
  }
  // "r", or "r/alternative".
  static std::string NameOf(const Request& request, size_t ask) {
    return request.is_list ? fmt::format("{}/{}", request.name, request.asks[ask].name)
                           : request.name;
  }

  void AddGiveBacks() {
    std::map<std::string, int64_t> held;  // devices of this node that are missing, by claim
    for (const AskReport& ask : asks_) {
      std::map<std::string, int64_t> of_ask;
      for (const DeviceView& device : ask.devices) {
        for (const std::string& user : device.users) ++of_ask[user];
      }
      for (const auto& [user, count] : of_ask) held[user] = std::max(held[user], count);
    }
    std::set<std::string> all;
    int64_t total = 0;
    for (const auto& [user, count] : held) {
      AddGiveBack(count, fmt::format("{} releases its devices", user), {user});
      all.insert(user);
      total += count;
    }
    if (all.size() > 1) {
      AddGiveBack(total, fmt::format("all {} claims with devices here release them", all.size()),
                  all);
    }
  }

  void AddTolerations() {
    std::map<std::string, const Taint*> taints;
    for (const AskReport& ask : asks_) {
      for (const DeviceView& device : ask.devices) {
        if (device.taint != nullptr) taints.emplace(device.text, device.taint);
      }
    }
    for (const auto& entry : taints) {
      Add(1, fmt::format("a toleration of {}", entry.first),
          [taint = entry.second](std::vector<Claim>* claims) {
            for (Claim& claim : *claims) {
              for (Request& request : claim.requests) {
                for (Ask& ask : request.asks) {
                  ask.tolerations.push_back(
                      {Toleration::Operator::kEqual, taint->key, taint->value, taint->effect});
                }
              }
            }
          });
    }
  }

  void AddCounts(size_t claim) {
    const Claim& of = claims_[claim];
    for (size_t request = 0; request < of.requests.size(); ++request) {
      for (size_t ask = 0; ask < of.requests[request].asks.size(); ++ask) {
        const int64_t count = of.requests[request].asks[ask].count;
        if (of.requests[request].asks[ask].all) continue;
        for (int64_t less = 1; less < count && less <= kMostLess; ++less) {
          Add(less,
              fmt::format("count {} in {}request {}", count - less, In(claim),
                          NameOf(of.requests[request], ask)),
              [=](std::vector<Claim>* claims) {
                (*claims)[claim].requests[request].asks[ask].count = count - less;
              });
        }
      }
    }
  }

  void AddConstraints(size_t claim) {
    const Claim& of = claims_[claim];
    for (size_t i = 0; i < of.constraints.size(); ++i) {
      Add(kOfRule,
          fmt::format("{}{} {} left out", In(claim),
                      of.constraints[i].distinct ? "distinctAttribute" : "matchAttribute",
                      of.constraints[i].attribute),
          [=](std::vector<Claim>* claims) {
            auto& constraints = (*claims)[claim].constraints;
            constraints.erase(constraints.begin() + static_cast<ptrdiff_t>(i));
          });
    }
  }

  void AddSelectors(size_t claim) {
    const Claim& of = claims_[claim];
    for (size_t request = 0; request < of.requests.size(); ++request) {
      for (size_t ask = 0; ask < of.requests[request].asks.size(); ++ask) {
        const size_t count = of.requests[request].asks[ask].selectors.size();
        for (size_t i = 0; i < count; ++i) {
          Add(kOfRule,
              fmt::format("{}selector {} of request {} left out", In(claim), i,
                          NameOf(of.requests[request], ask)),
              [=](std::vector<Claim>* claims) {
                auto& selectors = (*claims)[claim].requests[request].asks[ask].selectors;
                selectors.erase(selectors.begin() + static_cast<ptrdiff_t>(i));
              });
        }
      }
    }
  }

  const std::span<const Claim> claims_;
  const std::vector<AskReport>& asks_;
  std::vector<Change> changes_;
};

}  // namespace

Remedy FindRemedy(const Allocator& allocator, const Node& node, std::span<const Claim> claims,
                  const std::vector<AskReport>& asks) {
  int64_t steps = 0;
  size_t trials = 0;
  for (Change& change : Changes(claims, asks).All()) {
    if (steps > kMostSteps || ++trials > kMostTrials) break;
    std::vector<Claim> changed(claims.begin(), claims.end());
    if (change.edit) change.edit(&changed);
    const Answer answer = allocator.Allocate(node, changed, change.without);
    steps += answer.steps;
    if (answer.outcome == Outcome::kFits) return {std::move(change.text), change.cost};
  }
  return {};
}

}  // namespace outrigger::dra
