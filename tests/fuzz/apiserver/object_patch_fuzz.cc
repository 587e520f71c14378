// Patches of objects: the kind of patch (j, m or s), and on two lines the object and the patch.
#include <cstdint>
#include <optional>
#include <string_view>

#include "apiserver/patch/patch.h"
#include "apiserver_input.h"
#include "check.h"

namespace outrigger::fuzz {
namespace {

using apiserver::Failure;
using apiserver::Json;

std::optional<Failure> Apply(char kind, const Json& patch, Json* object) {
  if (kind == 'j') return apiserver::ApplyJsonPatch(patch, object);
  if (kind == 'm') return apiserver::ApplyMergePatch(patch, object);
  static const apiserver::Type& pod = *apiserver::TypeTable::Get().FindTypeOfKind("", "v1", "Pod");
  return apiserver::ApplyStrategicMergePatch(patch, pod, object);
}

bool IsDeeper(const Json& value, int levels) {
  if (!value.is_structured()) return false;
  for (const Json& item : value) {
    if (levels == 0 || IsDeeper(item, levels - 1)) return true;
  }
  return false;
}

void Run(std::string_view text) {
  const std::string_view kind = TakeLine(&text);
  const std::string_view first = TakeLine(&text);
  std::optional<Json> object = ParseBounded(first);
  const std::optional<Json> patch = ParseBounded(text);
  if (kind.empty() || !object || !object->is_object() || !patch) return;
  Json again = *object;
  const std::optional<Failure> failure = Apply(kind[0], *patch, &*object);
  const std::optional<Failure> second = Apply(kind[0], *patch, &again);
  OUTRIGGER_REQUIRE(failure.has_value() == second.has_value());
  if (failure) {
    OUTRIGGER_REQUIRE(failure->code == 400 || failure->code == 413 || failure->code == 422 ||
                      (kind[0] != 'j' && kind[0] != 'm' && failure->code == 500));
    return;
  }
  OUTRIGGER_REQUIRE(*object == again);
  OUTRIGGER_REQUIRE(!IsDeeper(*object, 1001));
  if (kind[0] != 'm') return;
  // A merge patch says what is to be, so more of it changes nothing.
  OUTRIGGER_REQUIRE(!Apply('m', *patch, &*object));
  again = *object;
  OUTRIGGER_REQUIRE(!Apply('m', *patch, &again));
  OUTRIGGER_REQUIRE(*object == again);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
