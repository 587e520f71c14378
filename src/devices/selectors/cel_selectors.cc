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
#include "outrigger/devices/selectors.h"

namespace outrigger::devices {
namespace {

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
  CelSelector(cel::Program program, Environment in) : program_(std::move(program)), in_(in) {}

  absl::StatusOr<bool> Matches(const DeviceView& device) const override {
    cel::DeviceBuilder builder;
    for (const Attribute& attribute : device.attributes) {
      std::visit(AddTo(&builder, attribute.name, in_), attribute.value);
    }
    const cel::Device built = builder.BuildPrototype();
    static thread_local cel::Evaluator evaluator;
    switch (evaluator.Evaluate(program_, built)) {
      case cel::Verdict::kTrue:
        return true;
      case cel::Verdict::kFalse:
        return false;
      default:
        return absl::InvalidArgumentError(evaluator.Reason());
    }
  }

 private:
  const cel::Program program_;
  const Environment in_;
};

class CelSelectors : public Selectors {
 public:
  absl::StatusOr<std::unique_ptr<const Selector>> Compile(std::string_view text,
                                                          Environment in) const override {
    auto program = cel::Program::Compile(text, cel::PrototypeEnvironment());
    if (!program.ok()) return program.status();
    return std::make_unique<CelSelector>(*std::move(program), in);
  }
};

}  // namespace

std::unique_ptr<const Selectors> MakeCelSelectors() {
  return std::make_unique<CelSelectors>();
}

}  // namespace outrigger::devices
