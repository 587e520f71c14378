#include "state_form.h"

#include <functional>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"
#include "state_rules.h"

// {"agent": "reward", "data": {"KEY": "TEXT"}, "outrigger-state": 1, "version": 12}; of a key that
// is there twice the last one counts.

namespace outrigger::internal {
namespace {

using Json = nlohmann::json;

constexpr const char* kMark = "outrigger-state";
constexpr int kMarked = 1;

absl::Status Lost(std::string_view why) {
  return absl::DataLossError(fmt::format("cannot be read as a state: {}", why));
}

// The number of a member; 0 where there is none.
uint64_t NumberOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

absl::Status TakeData(const Json& object, StateForm* form) {
  const auto found = object.find("data");
  if (found == object.end() || !found->is_object()) return Lost("\"data\" is no object");
  for (const auto& [key, value] : found->items()) {
    constexpr size_t kShown = 64;
    const std::string shown = Shortened(Printable(key), kShown);
    if (!IsStateKey(key)) return Lost(fmt::format("the key \"{}\" is not accepted", shown));
    if (!value.is_string()) return Lost(fmt::format("the value of {} is no text", shown));
    form->data.emplace(key, value.get<std::string>());
  }
  return absl::OkStatus();
}

}  // namespace

std::string PrintState(const StateForm& form) {
  const Json json = {
      {kMark, kMarked}, {"agent", form.agent}, {"version", form.version}, {"data", form.data}};
  return json.dump(1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<StateForm> ParseState(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Lost("it is no JSON");
  if (!json.is_object()) return Lost("it is no JSON object");
  if (NumberOf(json, kMark) != kMarked) {
    return Lost(fmt::format("\"{}\" is not {}, of which this program knows", kMark, kMarked));
  }
  StateForm form;
  form.version = NumberOf(json, "version");
  if (form.version == 0) return Lost("\"version\" is no number above 0");
  const auto agent = json.find("agent");
  if (agent == json.end() || !agent->is_string()) return Lost("\"agent\" is no text");
  form.agent = agent->get<std::string>();
  if (absl::Status wrong = TakeData(json, &form); !wrong.ok()) return wrong;
  return form;
}

}  // namespace outrigger::internal
