#include <string_view>
#include <vector>

#include "codec/json/body.h"
#include "devices/dra/decode.h"
#include "devices/dra/reader.h"
#include "fmt/format.h"

namespace outrigger::dra {
namespace {

template <typename Object, typename Decode>
absl::StatusOr<Object> Parse(std::string_view json, Decode decode) {
  const json::Padded text(json);
  json::ListedObject whole;
  whole.body = text.body();
  std::vector<json::MalformedValue> malformed;
  Object object;
  absl::Status status = decode(whole, &object, &malformed);
  if (status.ok() && !malformed.empty()) {
    status = absl::InvalidArgumentError(fmt::format("{}: \"{}\" is not {}", malformed[0].field,
                                                    malformed[0].value, malformed[0].accepted));
  }
  if (!status.ok()) return status;
  return object;
}

}  // namespace

absl::StatusOr<Slice> ParseSlice(std::string_view json) {
  return Parse<Slice>(json, DecodeSlice);
}

absl::StatusOr<Class> ParseClass(std::string_view json) {
  return Parse<Class>(json, DecodeClass);
}

absl::StatusOr<TaintRule> ParseTaintRule(std::string_view json) {
  return Parse<TaintRule>(json, DecodeTaintRule);
}

absl::StatusOr<Claim> ParseClaim(std::string_view json) {
  return Parse<Claim>(json, DecodeClaim);
}

}  // namespace outrigger::dra
