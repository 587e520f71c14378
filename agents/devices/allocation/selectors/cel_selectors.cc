#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cel/check/environment.h"
#include "cel/device.h"
#include "cel/evaluator.h"
#include "cel/program.h"
#include "devices/allocation/selectors.h"
#include "devices/allocation/selectors/dra_spelling.h"
#include "outrigger/base/text.h"

namespace outrigger::devices {
namespace {

constexpr size_t kLongestHint = 300;

/// Adds an attribute to a device of the prototype. Versions are text there.
class AddTo {
 public:
  AddTo(cel::DeviceBuilder* builder, std::string_view name, Environment in)
      : builder_(*builder), name_(name), in_(in) {}

  void operator()(std::monostate) const { builder_.AddNull(name_); }
  void operator()(const std::string& text) const { builder_.AddString(name_, text); }
  void operator()(int64_t number) const { builder_.AddInt(name_, number); }
  void operator()(const Version& version) const { builder_.AddString(name_, version.text); }
  void operator()(const Quantity& quantity) const {
    if (in_ == Environment::kOriginal) {
      builder_.AddFault(name_, "unsupported conversion of a quantity");
    } else {
      builder_.AddQuantity(name_, quantity);
    }
  }

 private:
  cel::DeviceBuilder& builder_;
  const std::string_view name_;
  const Environment in_;
};

class CelSelector : public Selector {
 public:
  CelSelector(cel::Program program, Environment in, std::string hint)
      : program_(std::move(program)), in_(in), hint_(std::move(hint)) {}

  absl::StatusOr<bool> Matches(const DeviceView& device, int64_t* cost) const override {
    cel::DeviceBuilder builder;
    for (const Attribute& attribute : device.attributes) {
      std::visit(AddTo(&builder, attribute.name, in_), attribute.value);
    }
    const cel::Device built = builder.BuildPrototype();
    static thread_local cel::Evaluator evaluator;
    const cel::Verdict verdict = evaluator.Evaluate(program_, built);
    *cost += static_cast<int64_t>(evaluator.cost());
    switch (verdict) {
      case cel::Verdict::kTrue:
        return true;
      case cel::Verdict::kFalse:
        return false;
      default:
        return absl::InvalidArgumentError(evaluator.Reason() + hint_);
    }
  }

 private:
  const cel::Program program_;
  const Environment in_;
  const std::string hint_;  // ends the reason of a failure
};

/// Returns "; here it is written ..." for an expression in the spelling of DRA.
std::string HintFor(std::string_view text, Environment in) {
  if (in == Environment::kOriginal) return "";
  const std::string here = AsWrittenHere(text);
  if (!here.empty()) return "; here it is written " + Shortened(Printable(here), kLongestHint);
  const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
  if (has("device.driver")) {
    return "; device has attributes alone, the driver is that of the class";
  }
  const bool of_dra =
      has("device.attributes") || has("device.capacity") || has("device.allowMultipleAllocations");
  return of_dra ? "; device has attributes alone, as device.memory" : "";
}

class CelSelectors : public Selectors {
 public:
  absl::StatusOr<std::unique_ptr<const Selector>> Compile(std::string_view text,
                                                          Environment in) const override {
    auto program = cel::Program::Compile(text, cel::PrototypeEnvironment());
    std::string hint = HintFor(text, in);
    if (!program.ok()) {
      return absl::Status(program.status().code(), std::string(program.status().message()) + hint);
    }
    return std::make_unique<CelSelector>(*std::move(program), in, std::move(hint));
  }
};

}  // namespace

std::unique_ptr<const Selectors> MakeCelSelectors() {
  return std::make_unique<CelSelectors>();
}

}  // namespace outrigger::devices
