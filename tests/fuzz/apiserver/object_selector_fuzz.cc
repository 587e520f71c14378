// Selectors of lists: on three lines the labels, the fields, and a pod.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/select/columns.h"
#include "apiserver/select/label_selector.h"
#include "apiserver/select/selector.h"
#include "apiserver_input.h"
#include "check.h"

namespace outrigger::fuzz {
namespace {

using apiserver::Json;
using apiserver::Selector;

void Run(std::string_view text) {
  const std::string_view labels = TakeLine(&text);
  const std::string_view fields = TakeLine(&text);
  std::optional<Json> object = ParseBounded(text);
  if (!object || !object->is_object()) object = Json::object();
  // Neither a row nor its cells may fail, whatever the object is.
  const apiserver::Columns& columns = apiserver::Columns::OfKind("", "Pod");
  OUTRIGGER_REQUIRE(columns.CellsOf(*object, absl::UnixEpoch()).size() == columns.all().size());

  Selector selector;
  if (const auto failure = Selector::Parse(labels, fields, "", "Pod", nullptr, &selector)) {
    OUTRIGGER_REQUIRE(failure->code == 400 && !failure->message.empty());
    return;
  }
  const StringMap values = apiserver::SelectableFields("", "Pod", nullptr, *object);
  const std::string name = apiserver::FieldOf(*object, "metadata.name");
  const StringMap own = apiserver::LabelsOf(*object);
  const bool matches = selector.MatchesLabels(own) && selector.MatchesFields(name, "", values);
  if (labels.empty() && fields.empty()) OUTRIGGER_REQUIRE(matches);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
