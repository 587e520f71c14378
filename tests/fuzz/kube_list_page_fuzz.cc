// A page of a list. The first two bytes choose how the rest is cut into pieces.
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "kube/stream/list_page.h"
#include "kube_pieces.h"
#include "nlohmann/json.hpp"

namespace outrigger::fuzz {
namespace {

struct Item {
  std::string name, namespace_, document;
  friend bool operator==(const Item&, const Item&) = default;
};

struct Outcome {
  absl::StatusCode code = absl::StatusCode::kOk;
  kube::ListPage page;
  std::vector<Item> items;
};

Outcome Read(const std::vector<std::string_view>& pieces) {
  kube::ListPageReader reader;
  Outcome outcome;
  absl::Status status;
  const auto on_item = [&outcome](const kube::ListItem& item) {
    outcome.items.push_back({item.head.name, item.head.namespace_, std::string(item.document)});
    return absl::OkStatus();
  };
  for (const std::string_view piece : pieces) {
    // Of the exact size, so that a sanitizer sees who reads behind it.
    const std::vector<char> memory(piece.begin(), piece.end());
    status = reader.Feed({memory.data(), memory.size()}, on_item);
    if (!status.ok()) break;
  }
  if (status.ok()) {
    absl::StatusOr<kube::ListPage> page = reader.Finish();
    status = page.status();
    if (page.ok()) outcome.page = *std::move(page);
  }
  if (!status.ok()) {
    OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
    OUTRIGGER_REQUIRE(!status.message().empty() && status.message().size() < 1000);
  }
  outcome.code = status.code();
  return outcome;
}

const nlohmann::json& At(const nlohmann::json& object, const char* key) {
  static const nlohmann::json kNull;
  return object.is_object() && object.contains(key) ? object[key] : kNull;
}

std::string TextOf(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

// What nlohmann reads in the same bytes, where it takes them at all.
void CheckAgainst(std::string_view body, const Outcome& outcome) {
  const auto parsed = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return;
  OUTRIGGER_REQUIRE(parsed.is_object() && parsed.contains("items"));
  const nlohmann::json& items = parsed["items"];
  OUTRIGGER_REQUIRE(items.size() == outcome.items.size());
  for (size_t i = 0; i < outcome.items.size(); ++i) {
    const Item& item = outcome.items[i];
    OUTRIGGER_REQUIRE(nlohmann::json::parse(item.document, nullptr, false) == items[i]);
    OUTRIGGER_REQUIRE(TextOf(At(At(items[i], "metadata"), "name")) == item.name);
    OUTRIGGER_REQUIRE(TextOf(At(At(items[i], "metadata"), "namespace")) == item.namespace_);
    OUTRIGGER_REQUIRE(!item.name.empty());
  }
  const nlohmann::json& metadata = At(parsed, "metadata");
  OUTRIGGER_REQUIRE(TextOf(At(metadata, "resourceVersion")) == outcome.page.resource_version);
  OUTRIGGER_REQUIRE(TextOf(At(metadata, "continue")) == outcome.page.continue_token);
  OUTRIGGER_REQUIRE(!outcome.page.resource_version.empty());
  const nlohmann::json& remaining = At(metadata, "remainingItemCount");
  OUTRIGGER_REQUIRE(remaining.is_number_integer() == outcome.page.remaining_items.has_value());
  if (outcome.page.remaining_items) {
    OUTRIGGER_REQUIRE(remaining.get<int64_t>() == *outcome.page.remaining_items);
  }
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const auto first = static_cast<uint8_t>(input[0]);
  const size_t size = 1 + static_cast<uint8_t>(input[1]);
  const std::string_view body = input.substr(2);
  const Outcome whole = Read({body});
  for (const auto& pieces : {Pieces(body, first, size), Pieces(body, 0, 1)}) {
    const Outcome cut = Read(pieces);
    OUTRIGGER_REQUIRE(cut.code == whole.code);
    OUTRIGGER_REQUIRE(cut.items == whole.items);
    OUTRIGGER_REQUIRE(cut.page.resource_version == whole.page.resource_version);
  }
  if (whole.code != absl::StatusCode::kOk) return;
  CheckAgainst(body, whole);
  // Without its end a page is never complete.
  OUTRIGGER_REQUIRE(Read({body.substr(0, body.find_last_of('}'))}).code != absl::StatusCode::kOk);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
