#include "devices/dra/expressions.h"

#include <variant>

#include "cel/check/environment.h"
#include "cel/evaluator.h"
#include "fmt/format.h"

namespace outrigger::dra {
namespace {

// What an evaluation costs whatever the expression is.
constexpr int64_t kOfEach = 10;
// What it costs to compile one, patterns included.
constexpr int64_t kOfCompiling = 50'000;
constexpr int64_t kOfCharacter = 100;

class AddAttribute {
 public:
  AddAttribute(cel::DeviceBuilder* builder, std::string_view name)
      : builder_(*builder), name_(name) {}

  // Such a device is not evaluated.
  absl::Status operator()(std::monostate) const { return absl::OkStatus(); }
  absl::Status operator()(bool flag) const {
    builder_.AddBool(name_, flag);
    return absl::OkStatus();
  }
  absl::Status operator()(int64_t number) const {
    builder_.AddInt(name_, number);
    return absl::OkStatus();
  }
  absl::Status operator()(const std::string& text) const {
    builder_.AddString(name_, text);
    return absl::OkStatus();
  }
  absl::Status operator()(const Version& version) const {
    return builder_.AddVersion(name_, version.text);
  }

 private:
  cel::DeviceBuilder& builder_;
  const std::string_view name_;
};

}  // namespace

const Expressions::Compiled& Expressions::Compile(std::string_view expression) {
  std::unique_ptr<Compiled>& compiled = programs_[std::string(expression)];
  if (compiled != nullptr) return *compiled;
  compiled = std::make_unique<Compiled>();
  compiled->number = ++last_;
  left_ -= kOfCompiling + kOfCharacter * static_cast<int64_t>(expression.size());
  auto program = cel::Program::Compile(expression, cel::DraEnvironment());
  if (program.ok()) {
    compiled->program = *std::move(program);
  } else {
    compiled->fault = {
        Said::What::kError,
        fmt::format("CEL compile error: {}", std::string(program.status().message())), false};
  }
  return *compiled;
}

const Expressions::Built& Expressions::Build(std::string_view driver, const Device& device) {
  std::unique_ptr<Built>& built = devices_[&device];
  if (built != nullptr) return *built;
  built = std::make_unique<Built>();
  cel::DeviceBuilder with_domain;
  cel::DeviceBuilder without;
  bool is_ambiguous = false;
  for (const auto& [name, value] : device.attributes) {
    const std::string whole = fmt::format("{}/{}", driver, name);
    const bool is_twice = device.attributes.contains(whole);
    is_ambiguous = is_ambiguous || is_twice;
    built->has_unknown = built->has_unknown || value.index() == 0;
    for (cel::DeviceBuilder* builder : {&with_domain, &without}) {
      if (is_twice && builder == &with_domain) continue;
      const bool is_hidden = builder == &without && name.starts_with(driver) &&
                             name.size() > driver.size() + 1 &&
                             device.attributes.contains(name.substr(driver.size() + 1));
      if (is_hidden) continue;
      const absl::Status status = std::visit(AddAttribute(builder, name), value);
      if (!status.ok()) built->fault = std::string(status.message());
    }
  }
  for (const auto& [name, capacity] : device.capacity) {
    with_domain.AddCapacity(name, capacity.value);
    without.AddCapacity(name, capacity.value);
  }
  if (!built->fault.empty()) return *built;
  built->device = std::make_unique<cel::Device>(with_domain.BuildDra(driver, device.shared));
  if (is_ambiguous) {
    built->other = std::make_unique<cel::Device>(without.BuildDra(driver, device.shared));
  }
  return *built;
}

Said Expressions::Ask(const Compiled& compiled, const cel::Device& device) {
  static thread_local cel::Evaluator evaluator;
  const cel::Verdict verdict = evaluator.Evaluate(*compiled.program, device);
  left_ -= static_cast<int64_t>(evaluator.cost()) + kOfEach;
  switch (verdict) {
    case cel::Verdict::kTrue:
      return {Said::What::kTrue, "", false};
    case cel::Verdict::kFalse:
      return {Said::What::kFalse, "", false};
    default:
      return {Said::What::kError, fmt::format("CEL runtime error: {}", evaluator.Reason()), false};
  }
}

void Expressions::Bound() {
  if (said_.size() >= kMostSaid) said_.clear();
  if (programs_.size() >= kMostPrograms) programs_.clear();
}

const Said& Expressions::Evaluate(std::string_view expression, std::string_view driver,
                                  const Device& device) {
  Bound();
  if (IsSpent() && !programs_.contains(std::string(expression))) return spent_;
  const Compiled& compiled = Compile(expression);
  if (!compiled.program.has_value()) return compiled.fault;
  if (const auto known = said_.find({compiled.number, &device}); known != said_.end()) {
    return *known->second;
  }
  if (IsSpent()) return spent_;
  std::unique_ptr<Said>& said = said_[{compiled.number, &device}];
  const Built& built = Build(driver, device);
  if (built.device == nullptr) {
    said = std::make_unique<Said>(
        Said{Said::What::kError, fmt::format("CEL runtime error: {}", built.fault), false});
    return *said;
  }
  if (built.has_unknown) {
    said = std::make_unique<Said>(
        Said{Said::What::kError, "the device has an attribute of an unknown kind", true});
    return *said;
  }
  said = std::make_unique<Said>(Ask(compiled, *built.device));
  if (built.other != nullptr && Ask(compiled, *built.other).what != said->what) {
    *said = {Said::What::kError,
             "an attribute exists with and without the driver's domain, and it is undefined which "
             "one counts",
             true};
  }
  return *said;
}

}  // namespace outrigger::dra
