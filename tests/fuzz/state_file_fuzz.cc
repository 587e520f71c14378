// The file with the state of an agent, as anybody may have edited it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "sdk/base/utf8.h"
#include "state_form.h"

namespace outrigger::fuzz {
namespace {

void Check(std::string_view text) {
  const auto form = internal::ParseState(text);
  if (!form.ok()) {
    OUTRIGGER_REQUIRE(absl::IsDataLoss(form.status()));
    const std::string why(form.status().message());
    OUTRIGGER_REQUIRE(IsUtf8(why) && why.size() < 400);
    for (const char c : why) OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= ' ');
    return;
  }
  // What was read is a state that can be saved, and is the same when it is read again.
  OUTRIGGER_REQUIRE(form->version > 0);
  OUTRIGGER_REQUIRE(internal::CheckState({form->data, ""}).ok());
  const std::string printed = internal::PrintState(*form);
  const auto again = internal::ParseState(printed);
  OUTRIGGER_REQUIRE(again.ok());
  OUTRIGGER_REQUIRE(again->agent == form->agent && again->version == form->version);
  OUTRIGGER_REQUIRE(again->data == form->data);
  OUTRIGGER_REQUIRE(internal::PrintState(*again) == printed);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
