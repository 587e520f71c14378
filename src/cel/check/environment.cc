#include "cel/check/environment.h"

#include <algorithm>
#include <array>

namespace outrigger::cel {
namespace {

constexpr Type MapOf(const Type& value) {
  return {TypeKind::kMap, "map", {&types::kString, &value}, 2, 0};
}

struct Dra {
  explicit Dra(const Type& attribute)
      : attributes_of_domain(MapOf(attribute)),
        attributes(MapOf(attributes_of_domain)),
        capacities_of_domain(MapOf(types::kQuantity)),
        capacities(MapOf(capacities_of_domain)),
        device{TypeKind::kStruct, "kubernetes.DRADevice", {}, 0, 0},
        variables{{{"device", &device}}},
        fields{{{"driver", &types::kString},
                {"attributes", &attributes},
                {"capacity", &capacities},
                {"allowMultipleAllocations", &types::kBool}}},
        environment{variables, fields, &attribute, true} {}

  Type attributes_of_domain;
  Type attributes;
  Type capacities_of_domain;
  Type capacities;
  Type device;
  std::array<Environment::Field, 1> variables;
  std::array<Environment::Field, 4> fields;
  Environment environment;
};

}  // namespace

const Type* FindType(std::span<const Environment::Field> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const auto& field) { return field.name == name; });
  return found == fields.end() ? nullptr : found->type;
}

// Never destroyed: programs refer to them.
const Environment& DraEnvironment(bool list_attributes) {
  static const auto* scalar = new Dra(types::kAny);
  static const auto* lists = new Dra(types::kDyn);
  return list_attributes ? lists->environment : scalar->environment;
}

const Environment& PrototypeEnvironment() {
  static const auto* device = new Type(MapOf(types::kDyn));
  static const auto* variables = new std::array{Environment::Field{"device", device}};
  static const auto* environment = new Environment{*variables, {}, &types::kDyn, false};
  return *environment;
}

const Environment& RuleEnvironment() {
  static constexpr std::array kVariables = {Environment::Field{"self", &types::kDyn},
                                            Environment::Field{"oldSelf", &types::kDyn}};
  static constexpr Environment kEnvironment = {kVariables, {}, &types::kDyn, true};
  return kEnvironment;
}

}  // namespace outrigger::cel
