#include "devices/dra/reasons/reason.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_join.h"
#include "devices/dra/ground.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::dra {
namespace {

// A change that was tried out.
struct Remedy {
  std::string text;  ///< empty: none would do
  int64_t cost = 0;
};

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

// The cheapest single change with which `node` serves `claims`.
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

/// What of the claims a node cannot serve.
struct Blocker {
  enum class What : uint8_t {
    kRequest,     // too few devices would serve the request, whatever else is asked
    kConstraint,  // they do not suit each other
    kTogether,    // each of the requests can be served, not all of them
    kClaims,      // each claim can be served, not all of them
  } what = What::kClaims;
  size_t claim = 0;
  std::vector<size_t> requests;  // of it
  size_t constraint = 0;
};

class Finder {
 public:
  Finder(const Allocator& allocator, const Node& node) : allocator_(allocator), node_(node) {}

  Blocker Within(const Claim& claim, size_t index) const {
    Blocker blocker;
    blocker.claim = index;
    blocker.requests = FirstThatFail(claim);
    Claim narrowed = Narrowed(claim, blocker.requests);
    blocker.what = Blocker::What::kTogether;
    for (size_t i = 0; i < claim.constraints.size(); ++i) {
      Claim without = narrowed;
      without.constraints.erase(without.constraints.begin() + static_cast<ptrdiff_t>(i));
      if (!Fits(without)) continue;
      blocker.what = Blocker::What::kConstraint;
      blocker.constraint = i;
      break;
    }
    return blocker;
  }

  // True as well once the searches have cost too much: then nothing more is found out.
  bool Fits(const Claim& claim) const {
    if (steps_ > kMostSteps) return true;
    const Answer answer = allocator_.Allocate(node_, std::span(&claim, 1));
    steps_ += answer.steps;
    return answer.outcome == Outcome::kFits;
  }

 private:
  static Claim Narrowed(const Claim& claim, const std::vector<size_t>& requests) {
    Claim narrowed = claim;
    narrowed.requests.clear();
    for (const size_t request : requests) narrowed.requests.push_back(claim.requests[request]);
    return narrowed;
  }

  // One request alone, else the first requests that cannot be served together.
  std::vector<size_t> FirstThatFail(const Claim& claim) const {
    for (size_t i = 0; i < claim.requests.size(); ++i) {
      if (!Fits(Narrowed(claim, {i}))) return {i};
    }
    std::vector<size_t> requests;
    for (size_t i = 0; i < claim.requests.size(); ++i) {
      requests.push_back(i);
      if (!Fits(Narrowed(claim, requests))) break;
    }
    return requests;
  }

  static constexpr int64_t kMostSteps = 4 * Allocator::kSteps;

  const Allocator& allocator_;
  const Node& node_;
  mutable int64_t steps_ = 0;
};

// The first request of which no ask has devices enough.
std::optional<Blocker> ShortRequest(std::span<const Claim> claims,
                                    const std::vector<AskReport>& asks) {
  size_t next = 0;
  for (size_t claim = 0; claim < claims.size(); ++claim) {
    for (size_t request = 0; request < claims[claim].requests.size(); ++request) {
      const size_t count = claims[claim].requests[request].asks.size();
      const bool is_short = std::all_of(asks.begin() + static_cast<ptrdiff_t>(next),
                                        asks.begin() + static_cast<ptrdiff_t>(next + count),
                                        [](const AskReport& ask) { return ask.free < ask.wanted; });
      next += count;
      if (is_short) return Blocker{Blocker::What::kRequest, claim, {request}};
    }
  }
  return std::nullopt;
}

// Of claims that do not fit on `node`.
Blocker FindBlocker(const Allocator& allocator, const Node& node, std::span<const Claim> claims,
                    const std::vector<AskReport>& asks) {
  if (const auto is_short = ShortRequest(claims, asks)) return *is_short;
  const Finder finder(allocator, node);
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!finder.Fits(claims[i])) return finder.Within(claims[i], i);
  }
  return {};
}

// More claims are counted, not named.
constexpr size_t kMostNamed = 3;
constexpr size_t kLongestExpression = 80;

std::string Named(const std::set<std::string>& names) {
  if (names.size() <= kMostNamed) return absl::StrJoin(names, ", ");
  const std::vector<std::string> first(names.begin(), std::next(names.begin(), kMostNamed));
  return fmt::format("{} and {} more", absl::StrJoin(first, ", "), names.size() - kMostNamed);
}

// What a device has in common with others: they are counted together.
std::string NoteOf(const AskReport& ask, const DeviceView& device) {
  switch (device.refusal) {
    case Refusal::kPool:
      return fmt::format("pool {} of {}: {}", device.pool, device.driver, device.text);
    case Refusal::kClassSelector:
      return fmt::format("not selected by class {}", ask.device_class);
    case Refusal::kSelector:
      return fmt::format("not selected by {}",
                         Shortened(Printable(device.text), kLongestExpression));
    case Refusal::kTaint:
      return fmt::format("tainted {}", device.text);
    case Refusal::kInUse:
      return "in use";
    case Refusal::kFailed:
    case Refusal::kCapacity:
    case Refusal::kCounters:
      return device.text;
    case Refusal::kNone:
      break;
  }
  return "";
}

std::string NotesOf(const AskReport& ask) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<size_t, std::set<std::string>>> notes;
  for (const DeviceView& device : ask.devices) {
    if (device.refusal == Refusal::kNone) continue;
    const std::string note = NoteOf(ask, device);
    if (!notes.contains(note)) order.push_back(note);
    auto& of_note = notes[note];
    ++of_note.first;
    of_note.second.insert(device.users.begin(), device.users.end());
  }
  std::vector<std::string> texts;
  for (const std::string& note : order) {
    const auto& [count, users] = notes[note];
    const bool is_pool = note.starts_with("pool ");
    texts.push_back(fmt::format("{}{}{}", is_pool ? "" : fmt::format("{} ", count), note,
                                users.empty() ? "" : fmt::format(" by {}", Named(users))));
  }
  if (texts.empty()) return ask.devices.empty() ? " (the node has none)" : "";
  return fmt::format(" ({})", absl::StrJoin(texts, ", "));
}

std::string ShortText(const Ask& asked, const AskReport& ask) {
  return fmt::format("{} of class {} wanted, {} free{}",
                     asked.all ? "all devices" : fmt::format("{}", ask.wanted), ask.device_class,
                     ask.free, NotesOf(ask));
}

std::string RequestNames(const Claim& claim, const std::vector<size_t>& requests) {
  std::vector<std::string> names;
  names.reserve(requests.size());
  for (const size_t request : requests) names.push_back(claim.requests[request].name);
  return fmt::format("request{} {}", names.size() == 1 ? "" : "s", absl::StrJoin(names, ", "));
}

// The asks of one request.
std::span<const AskReport> AsksOf(std::span<const Claim> claims, const std::vector<AskReport>& asks,
                                  size_t claim, size_t request) {
  size_t first = 0;
  for (size_t i = 0; i <= claim; ++i) {
    const size_t end = i == claim ? request : claims[i].requests.size();
    for (size_t j = 0; j < end; ++j) first += claims[i].requests[j].asks.size();
  }
  return std::span(asks).subspan(first, claims[claim].requests[request].asks.size());
}

// How many devices an ask for all is about: those that others have, too.
size_t AllOf(const std::vector<DeviceView>& devices) {
  const auto count = std::count_if(devices.begin(), devices.end(), [](const DeviceView& view) {
    return view.refusal == Refusal::kNone || view.refusal == Refusal::kInUse ||
           view.refusal == Refusal::kTaint || view.refusal == Refusal::kCounters;
  });
  return std::max<size_t>(static_cast<size_t>(count), 1);
}

class Teller {
 public:
  Teller(std::span<const Claim> claims, const std::vector<AskReport>& asks, const Blocker& blocker)
      : claims_(claims), asks_(asks), blocker_(blocker) {}

  std::string Text() const {
    if (blocker_.what == Blocker::What::kClaims) {
      std::vector<std::string> names;
      names.reserve(claims_.size());
      for (const Claim& claim : claims_) names.push_back(claim.name);
      return fmt::format("claims {}: each alone fits here, but not all together",
                         absl::StrJoin(names, ", "));
    }
    const Claim& claim = claims_[blocker_.claim];
    const std::string at =
        fmt::format("claim {}, {}: ", claim.name, RequestNames(claim, blocker_.requests));
    switch (blocker_.what) {
      case Blocker::What::kRequest:
        return at + RequestText();
      case Blocker::What::kConstraint:
        return at + ConstraintText(claim.constraints[blocker_.constraint]);
      default:
        return at +
               "there are devices for each, but not for all together: they need the same devices "
               "or counters";
    }
  }

 private:
  std::string RequestText() const {
    const Request& request = claims_[blocker_.claim].requests[blocker_.requests[0]];
    const auto asks = AsksOf(claims_, asks_, blocker_.claim, blocker_.requests[0]);
    std::vector<std::string> texts;
    for (size_t i = 0; i < asks.size(); ++i) {
      const std::string text = ShortText(request.asks[i], asks[i]);
      texts.push_back(request.is_list ? fmt::format("{}: {}", request.asks[i].name, text) : text);
    }
    return absl::StrJoin(texts, "; or ");
  }

  std::string ConstraintText(const Constraint& constraint) const {
    size_t wanted = 0;
    size_t free = 0;
    for (const size_t request : blocker_.requests) {
      const auto asks = AsksOf(claims_, asks_, blocker_.claim, request);
      wanted += asks[0].wanted;
      free = std::max(free, asks[0].free);
    }
    return fmt::format("{} devices with {} {} wanted, and no such {} are among the {} free", wanted,
                       constraint.distinct ? "different" : "equal", constraint.attribute, wanted,
                       free);
  }

  const std::span<const Claim> claims_;
  const std::vector<AskReport>& asks_;
  const Blocker& blocker_;
};

}  // namespace

std::vector<AskReport> Report(const Allocator& allocator, const Node& node,
                              std::span<const Claim> claims) {
  std::vector<AskReport> reports;
  for (const Claim& claim : claims) {
    for (const Request& request : claim.requests) {
      for (const Ask& ask : request.asks) {
        AskReport& report = reports.emplace_back();
        report.claim = claim.name;
        report.label =
            request.is_list ? fmt::format("{}/{}", request.name, ask.name) : request.name;
        report.device_class = ask.device_class;
        report.devices = allocator.View(node, claim, request, ask);
        report.wanted =
            ask.all ? AllOf(report.devices) : static_cast<size_t>(std::max<int64_t>(ask.count, 0));
        report.free = static_cast<size_t>(
            std::count_if(report.devices.begin(), report.devices.end(),
                          [](const DeviceView& view) { return view.refusal == Refusal::kNone; }));
      }
    }
  }
  return reports;
}

Reason Explain(const Allocator& allocator, const Node& node, std::span<const Claim> claims,
               const Answer& answer) {
  Reason reason;
  reason.asks = Report(allocator, node, claims);
  if (answer.outcome == Outcome::kMisfit || answer.of_node) {
    const Blocker blocker = FindBlocker(allocator, node, claims, reason.asks);
    reason.text = Teller(claims, reason.asks, blocker).Text();
  } else {
    reason.text = answer.text;
  }
  if (answer.outcome == Outcome::kUnsure) return reason;
  Remedy remedy = FindRemedy(allocator, node, claims, reason.asks);
  reason.help = std::move(remedy.text);
  reason.cost = remedy.cost;
  return reason;
}

}  // namespace outrigger::dra
