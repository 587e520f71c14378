// Reads bodies as `lab apiserver` does, for comparison with upstream's decoders:
//
//   outrigger_api_rows < bodies > rows
//
// A line of the input is "protobuf BASE64", or "json TYPE BASE64" or "defaults TYPE BASE64" with a
// name of a type in OpenAPI; a line of the output {"object"} or {"problem"}, and {"strict"}: fields
// that are unknown or duplicate. To "openapi VERSION [GROUP]" the line is that document.
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "apiserver/types/body.h"
#include "apiserver/types/conform.h"
#include "apiserver/types/defaults.h"
#include "apiserver/types/openapi.h"
#include "apiserver/types/protobuf.h"
#include "apiserver/types/type_table.h"

namespace outrigger::apiserver {
namespace {

std::optional<Failure> ReadRow(const std::string& what, std::istream& words, Json* object,
                               std::vector<std::string>* strict) {
  std::string type_name;
  if (what != "protobuf") words >> type_name;
  std::string encoded;
  words >> encoded;
  std::string body;
  absl::Base64Unescape(encoded, &body);
  if (what == "protobuf") return FromProtobuf(body, object);
  const Type* type = TypeTable::Get().FindType(type_name);
  if (type == nullptr) return Failure::BadRequest("no such type");
  std::vector<std::string> duplicates;
  auto failure = ParseBody(body, type->kind(), object, &duplicates);
  if (!failure) failure = Conform(*type, object, strict);
  if (!failure && what == "defaults") SetDefaults(*type, object);
  strict->insert(strict->end(), duplicates.begin(), duplicates.end());
  return failure;
}

std::string AnswerTo(const std::string& line) {
  std::istringstream words(line);
  std::string what;
  words >> what;
  Json object;
  std::vector<std::string> strict;
  if (what == "openapi") {
    std::string version;
    std::string group;
    words >> version >> group;
    return OpenApiDocument(group, version).dump();
  }
  const auto failure = ReadRow(what, words, &object, &strict);
  Json row = {{"strict", strict}};
  if (failure) {
    row["problem"] = failure->message;
  } else {
    row["object"] = std::move(object);
  }
  return row.dump();
}

}  // namespace
}  // namespace outrigger::apiserver

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << outrigger::apiserver::AnswerTo(line) << '\n';
  }
  return 0;
}
