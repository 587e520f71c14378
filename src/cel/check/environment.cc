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
        fields{{{"driver", &types::kString},
                {"attributes", &attributes},
                {"capacity", &capacities},
                {"allowMultipleAllocations", &types::kBool}}},
        environment{&device, fields, &attribute, true} {}

  Type attributes_of_domain;
  Type attributes;
  Type capacities_of_domain;
  Type capacities;
  Type device;
  std::array<Environment::Field, 4> fields;
  Environment environment;
};

}  // namespace

const Type* Environment::FieldType(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
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
  static const auto* environment = new Environment{device, {}, &types::kDyn, false};
  return *environment;
}

}  // namespace outrigger::cel
