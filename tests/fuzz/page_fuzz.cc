// The JSON of a page: what is read is the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "codec/page/page.h"

namespace outrigger::fuzz {
namespace {

void RequireSame(const page::Page& a, const page::Page& b) {
  OUTRIGGER_REQUIRE(a.agent == b.agent);
  OUTRIGGER_REQUIRE(a.name == b.name);
  OUTRIGGER_REQUIRE(a.table.columns() == b.table.columns());
  OUTRIGGER_REQUIRE(a.table.rows() == b.table.rows());
  OUTRIGGER_REQUIRE(a.table.total() == b.table.total());
}

// Two columns of one name are one key of each row.
bool HasNamesOnce(const PageTable& table) {
  const PageSpec spec{.name = "queue", .help = "a page", .columns = table.columns()};
  return FaultOf(spec).empty();
}

void CheckPrefix(const page::Page& page, size_t max_bytes) {
  std::string json;
  page::Encode(page, max_bytes, &json);
  const auto cut = page::Decode(json);
  OUTRIGGER_REQUIRE(cut.ok());
  OUTRIGGER_REQUIRE(cut->table.rows().size() <= page.table.rows().size());
  OUTRIGGER_REQUIRE(cut->table.total() == page.table.total());
}

void Check(std::string_view text) {
  const auto page = page::Decode(text);
  if (!page.ok()) {
    for (const char c : page.status().message()) {
      OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= ' ');
    }
    return;
  }
  OUTRIGGER_REQUIRE(page->table.fault().empty());
  if (!HasNamesOnce(page->table)) return;
  std::string json;
  page::Encode(*page, page::kMaxBytes, &json);
  const auto again = page::Decode(json);
  OUTRIGGER_REQUIRE(again.ok());
  RequireSame(*page, *again);
  CheckPrefix(*page, 1024);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
