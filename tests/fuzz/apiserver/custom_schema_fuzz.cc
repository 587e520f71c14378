// Schemas of custom resources: on two lines the schema and an object.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/crd/definition.h"
#include "apiserver_input.h"
#include "check.h"

namespace outrigger::fuzz {
namespace {

using apiserver::Cause;
using apiserver::Json;

void CheckDefinition(const Json& schema) {
  Json object = {{"metadata", {{"name", "cars.example.com"}}},
                 {"spec",
                  {{"group", "example.com"},
                   {"scope", "Namespaced"},
                   {"names", {{"plural", "cars"}, {"kind", "Car"}}},
                   {"versions",
                    {{{"name", "v1"},
                      {"served", true},
                      {"storage", true},
                      {"schema", {{"openAPIV3Schema", schema}}}}}}}}};
  apiserver::SetDefinitionDefaults(&object);
  apiserver::CustomDefinition definition;
  apiserver::StructuralSchema compiled;
  std::vector<Cause> causes;
  const bool good = compiled.Compile(schema, "s", &causes);
  const auto failure = apiserver::CustomDefinition::Read(object, &definition);
  OUTRIGGER_REQUIRE(good || failure.has_value());
}

void Run(std::string_view text) {
  const std::string_view first = TakeLine(&text);
  const std::optional<Json> schema = ParseBounded(first);
  std::optional<Json> object = ParseBounded(text);
  if (!schema || !schema->is_object()) return;
  CheckDefinition(*schema);
  apiserver::StructuralSchema compiled;
  std::vector<Cause> causes;
  if (!compiled.Compile(*schema, "s", &causes) || !object || !object->is_object()) return;
  compiled.SetDefaults(&*object);
  std::vector<std::string> unknown;
  compiled.Prune(&*object, &unknown);
  const Json once = *object;
  unknown.clear();
  compiled.Prune(&*object, &unknown);
  OUTRIGGER_REQUIRE(unknown.empty() && *object == once);
  for (const Cause& cause : compiled.Validate(*object).causes) {
    OUTRIGGER_REQUIRE(!cause.field.empty() && !cause.message.empty() && !cause.reason.empty());
  }
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
