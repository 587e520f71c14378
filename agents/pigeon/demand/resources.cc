#include "demand/resources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::pigeon {
namespace {

constexpr std::string_view kRequested = "requested-";
constexpr double kMostExact = 9e15;  // up to there a double has every integer
constexpr double kMost = 1e30;       // far from where squares of sums are infinite
constexpr double kHeaviest = 1e6;

Resource Make(std::string_view name, double weight, std::string_view gpu) {
  const std::string_view short_name = name == gpu ? "gpu" : name;
  return {std::string(name), weight, fmt::format("{}{}", kRequested, short_name)};
}

double Whole(const Quantity& quantity, bool milli) {
  const double value = quantity.ToDouble() * (milli ? 1000 : 1);
  if (!(value > 0)) return 0;
  if (value > kMostExact) return std::min(value, kMost);
  return static_cast<double>(milli ? quantity.MilliValue() : quantity.Value());
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

absl::Status NotAccepted(std::string_view part, std::string_view why) {
  return absl::InvalidArgumentError(
      fmt::format("resources: \"{}\" is not accepted: {}", Printable(Shortened(part, 80)), why));
}

absl::StatusOr<double> WeightFrom(std::string_view text) {
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(weight > 0 && weight <= kHeaviest)) {
    return absl::InvalidArgumentError("a weight is a number above 0, 1000000 at most");
  }
  return weight;
}

}  // namespace

absl::StatusOr<Resources> Resources::Parse(std::string_view text, std::string_view gpu) {
  std::vector<Resource> list;
  std::set<std::string> names;
  for (const std::string& part : SplitList(text)) {
    const size_t equals = part.find('=');
    const std::string_view name = Trimmed(std::string_view(part).substr(0, equals));
    if (!IsName(name)) return NotAccepted(part, "the name of a resource, or NAME=WEIGHT");
    absl::StatusOr<double> weight = 1.0;
    if (equals != std::string::npos) {
      weight = WeightFrom(Trimmed(std::string_view(part).substr(equals + 1)));
    }
    if (!weight.ok()) return NotAccepted(part, std::string(weight.status().message()));
    if (!names.emplace(name).second) return NotAccepted(part, "listed twice");
    list.push_back(Make(name, *weight, gpu));
  }
  if (list.size() > kMostResources) return NotAccepted(text, "more than 16 resources");
  return Resources(std::move(list));
}

Resources Resources::First(size_t count, std::string_view gpu) {
  const std::array<std::string_view, 5> names = {kCpu, kMemory, kPods, gpu, kEphemeralStorage};
  std::vector<Resource> list;
  for (size_t i = 0; i < std::min(count, names.size()); ++i) list.push_back(Make(names[i], 1, gpu));
  return Resources(std::move(list));
}

size_t Resources::Find(std::string_view name) const {
  const auto at = std::find_if(list_.begin(), list_.end(),
                               [&](const Resource& resource) { return resource.name == name; });
  return static_cast<size_t>(at - list_.begin());
}

std::vector<double> Resources::Weights() const {
  std::vector<double> weights;
  for (const Resource& resource : list_) weights.push_back(resource.weight);
  return weights;
}

Amounts Resources::Of(const ResourceList& amounts) const {
  Amounts result(size());
  for (size_t i = 0; i < size(); ++i) {
    const Quantity* const quantity = amounts.Find(list_[i].name);
    if (quantity != nullptr) result[i] = Whole(*quantity, list_[i].name == kCpu);
  }
  return result;
}

Amounts Resources::Annotated(const Request& request, const Node& node) const {
  Amounts result(size());
  for (size_t i = 0; i < size(); ++i) {
    const std::optional<double> value = request.AnnotationDouble(node, list_[i].annotation);
    if (!value) continue;
    if (std::isfinite(*value) && *value >= 0) {
      result[i] = std::min(*value, kMost);
    } else {
      request.diagnostics.Malformed(node.name, list_[i].annotation,
                                    node.annotations.Get(list_[i].annotation),
                                    "a finite number, 0 or more");
    }
  }
  return result;
}

Amounts Resources::AskedBy(const Pod& pod) const {
  Amounts asked = Of(PodRequests(pod));
  const size_t pods = Find(kPods);
  if (pods < size()) asked[pods] = 1;
  return asked;
}

Amounts Resources::AtLeast(const Amounts& asked) const {
  constexpr double kLeastCpu = 10;
  constexpr double kLeastMemory = 16.0 * 1024 * 1024;
  Amounts amounts = asked;
  for (size_t i = 0; i < size(); ++i) {
    if (amounts[i] > 0) continue;
    if (list_[i].name == kCpu) amounts[i] = kLeastCpu;
    if (list_[i].name == kMemory) amounts[i] = kLeastMemory;
  }
  return amounts;
}

std::string Resources::Text(size_t i, double amount) const {
  const std::string& name = list_[i].name;
  if (amount > kMostExact) return fmt::format("{:.3g}", amount);
  if (name == kCpu) {
    const auto milli = static_cast<int64_t>(amount);
    return milli % 1000 == 0 ? fmt::format("{}", milli / 1000) : fmt::format("{}m", milli);
  }
  if (name != kMemory && name != kEphemeralStorage) return fmt::format("{:.15g}", amount);
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.5g}{}", amount, kUnits[unit]);
}

}  // namespace outrigger::pigeon
