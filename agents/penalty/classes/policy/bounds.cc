#include "penalty/classes/bounds.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/class_policy.h"
#include "penalty/classes/ledger.h"
#include "penalty/classes/mapping.h"

namespace outrigger::penalty {
namespace {

// A class that a program's chart installs, which shows that the program is there. Names that users
// give to classes of their own count with the chart's value only.
struct Sign {
  std::string_view class_name;
  int64_t value;  // 0: any
};

constexpr std::string_view kKai = "KAI";
constexpr std::array<Sign, 4> kKaiSigns = {
    {{"train", 50}, {"build-preemptible", 75}, {"build", 100}, {"inference", 125}}};
// Pods with less than this are preemptible.
constexpr std::array<int64_t, 1> kKaiValues = {100};

constexpr std::string_view kKoordinator = "Koordinator";
constexpr std::array<Sign, 4> kKoordinatorSigns = {
    {{"koord-prod", 0}, {"koord-mid", 0}, {"koord-batch", 0}, {"koord-free", 0}}};
// Its bands: 3000-3999, 5000-5999, 7000-7999, 9000-9999.
constexpr std::array<int64_t, 8> kKoordinatorValues = {3000, 4000, 5000, 6000,
                                                       7000, 8000, 9000, 10'000};

template <typename Signs, typename Values>
void AddProgram(std::string_view program, const Signs& signs, const Values& values,
                std::string_view class_name, int64_t base, std::map<int64_t, std::string>* lowest) {
  const bool is_there = std::any_of(signs.begin(), signs.end(), [&](const Sign& sign) {
    return sign.class_name == class_name && (sign.value == 0 || sign.value == base);
  });
  if (!is_there) return;
  for (const int64_t value : values) lowest->emplace(value, program);
}

bool IsMore(const Increment& increment, int64_t room) {
  return increment.kind == Increment::Kind::kFlat && increment.amount > static_cast<double>(room);
}

}  // namespace

void Barriers::Add(std::string_view class_name, int64_t base) {
  lowest_.emplace(base + 1, fmt::format("class {}", class_name));
  AddProgram(kKai, kKaiSigns, kKaiValues, class_name, base, &lowest_);
  AddProgram(kKoordinator, kKoordinatorSigns, kKoordinatorValues, class_name, base, &lowest_);
}

Floor Barriers::Under(int64_t base) const {
  const auto above = lowest_.upper_bound(base);
  if (above == lowest_.begin()) return {};
  return {std::prev(above)->first, std::prev(above)->second};
}

Barriers BarriersOf(const std::vector<PriorityClass>& classes, const Ledger* ledger) {
  Barriers barriers;
  if (ledger != nullptr) {
    for (const auto& [name, account] : ledger->classes()) barriers.Add(name, account.base);
  }
  for (const PriorityClass& one : classes) {
    const bool is_known = ledger != nullptr && ledger->Find(one.name) != nullptr;
    if (!is_known && StandsFor(one).empty()) barriers.Add(one.name, BaseOf(one).base);
  }
  return barriers;
}

absl::StatusOr<Floor> FloorOf(const Policy& policy, int64_t base, const Barriers& barriers) {
  Floor uncrossed = barriers.Under(base);
  if (!policy.floor) return uncrossed;
  if (*policy.floor > base) {
    return absl::InvalidArgumentError(fmt::format(
        "floor: {} is not accepted; expected at most the class's base, {}", *policy.floor, base));
  }
  if (*policy.floor < uncrossed.value && !policy.allow_crossing) {
    return absl::InvalidArgumentError(
        fmt::format("floor: {} is not accepted; expected at least {}, or set allow-crossing: a "
                    "lower value crosses that of {}",
                    *policy.floor, uncrossed.value, uncrossed.of));
  }
  return Floor{*policy.floor, "setting floor"};
}

absl::StatusOr<Bounds> BoundsOf(const Policy& policy, int64_t base, const Floor& floor) {
  if (base < kLowestValue || base > kHighestValue) {
    return absl::InvalidArgumentError(
        fmt::format("base: {} is not accepted; expected an integer from {} to {}", base,
                    kLowestValue, kHighestValue));
  }
  const int64_t top = std::min(base, policy.ceiling.value_or(kHighestValue));
  if (top < floor.value) {
    return absl::InvalidArgumentError(fmt::format(
        "ceiling: {} is not accepted; expected at least the class's floor, {}", top, floor.value));
  }
  return Bounds{.base = base, .floor = floor.value, .top = top, .quantum = QuantumOf(policy, base)};
}

std::string RoomProblem(const Policy& policy, const Bounds& bounds, const Floor& floor) {
  const int64_t room = bounds.base - bounds.floor;
  if (room >= bounds.quantum && !IsMore(policy.start, room) && !IsMore(policy.completion, room)) {
    return "";
  }
  return fmt::format(
      "its value can fall from {} only to {}, by at most {} points: {} sets the floor. Give it {}",
      bounds.base, bounds.floor, room, floor.of, kRoomRemedy);
}

absl::StatusOr<ClassBounds> ClassBoundsOf(const PriorityClass& priority_class, int64_t base,
                                          const Policy& defaults, const Barriers& barriers) {
  auto policy = PolicyOf(priority_class, defaults);
  if (!policy.ok()) return policy.status();
  auto floor = FloorOf(*policy, base, barriers);
  if (!floor.ok()) return absl::OutOfRangeError(floor.status().message());
  const auto bounds = BoundsOf(*policy, base, *floor);
  if (!bounds.ok()) return absl::OutOfRangeError(bounds.status().message());
  std::string room = RoomProblem(*policy, *bounds, *floor);
  return ClassBounds{*std::move(policy), *std::move(floor), *bounds, std::move(room)};
}

}  // namespace outrigger::penalty
