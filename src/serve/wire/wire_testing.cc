#include "wire_testing.h"

#include <fstream>
#include <iterator>

#include "fmt/format.h"

namespace outrigger::wire {

std::string GoldenBytes(std::string_view name) {
  std::ifstream file(std::string(OUTRIGGER_TEST_DATA "/golden/wire/") + std::string(name),
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

absl::Status DecodeArgs(std::string_view json, const Needs& needs, ExtenderArgs* args) {
  static thread_local PaddedBody body("");
  body = PaddedBody(json);
  return DecodeExtenderArgs(body, needs, args);
}

absl::Status DecodeArgs(std::string_view json) {
  ExtenderArgs args;
  return DecodeArgs(json, Needs::All(), &args);
}

std::string CallWithNodes(std::string_view pod, std::string_view nodes) {
  return fmt::format(R"({{"Pod":{},"Nodes":{{"items":{}}},"NodeNames":null}})", pod, nodes);
}

}  // namespace outrigger::wire
