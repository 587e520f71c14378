// A page of a list in protobuf. The first two bytes choose how the rest is cut into pieces.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.h"
#include "codec/protobuf/envelope.h"
#include "kube/stream/protobuf_list_page.h"
#include "kube_pieces.h"
#include "protozero/pbf_reader.hpp"
#include "protozero/pbf_writer.hpp"

namespace outrigger::fuzz {
namespace {

using kube::ProtobufListSplitter;
using protozero::pbf_writer;
using FieldBytes = std::pair<uint32_t, std::string>;

struct Fields {
  absl::Status status;
  bool complete = false;
  std::vector<FieldBytes> fields;
  friend bool operator==(const Fields& a, const Fields& b) {
    return a.status == b.status && a.complete == b.complete && a.fields == b.fields;
  }
};

Fields Split(const std::vector<std::string_view>& pieces) {
  ProtobufListSplitter splitter;
  Fields read;
  size_t given = 0;
  for (const std::string_view piece : pieces) {
    // Of the exact size, so that a sanitizer sees who reads behind it.
    const std::vector<char> memory(piece.begin(), piece.end());
    const auto on_field = [&read](uint32_t field, std::string_view bytes) {
      read.fields.emplace_back(field, bytes);
      return absl::OkStatus();
    };
    read.status = splitter.Feed({memory.data(), memory.size()}, on_field);
    given += piece.size();
    // Lengths are announced: none takes memory before its bytes have come.
    OUTRIGGER_REQUIRE(splitter.capacity() <= std::string().capacity() + 2 * given);
    if (!read.status.ok()) break;
  }
  read.complete = read.status.ok() && splitter.complete();
  return read;
}

void CheckStatus(const absl::Status& status) {
  if (status.ok()) return;
  OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument ||
                    status.code() == absl::StatusCode::kResourceExhausted);
  OUTRIGGER_REQUIRE(!status.message().empty() && status.message().size() < 1000);
}

// What protozero reads of the whole, which it checks in other ways; nothing where it refuses it, as
// it does field numbers that are set aside.
std::optional<std::vector<FieldBytes>> FieldsIn(std::string_view body) {
  std::vector<FieldBytes> fields;
  protobuf::Envelope envelope;
  if (!protobuf::OpenEnvelope(body, &envelope).ok()) return std::nullopt;
  try {
    protozero::pbf_reader list(envelope.raw.data(), envelope.raw.size());
    while (list.next()) {
      const uint32_t field = list.tag();
      if (field == ProtobufListSplitter::kMetadata || field == ProtobufListSplitter::kItem) {
        fields.emplace_back(field, list.get_string());
      } else {
        list.skip();
      }
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return fields;
}

void Add(std::string* message, uint32_t number, std::string_view text) {
  pbf_writer(*message).add_bytes(number, text.data(), text.size());
}

void CheckWhole(std::string_view body, const Fields& whole) {
  if (const auto second = FieldsIn(body)) OUTRIGGER_REQUIRE(*second == whole.fields);
  // A field has two bytes at least, so without its last one a list is never complete.
  OUTRIGGER_REQUIRE(!Split({body.substr(0, body.size() - 1)}).complete);
  std::string list;
  for (const auto& [field, bytes] : whole.fields) Add(&list, field, bytes);
  std::string again("k8s\0", 4);
  Add(&again, 2, list);
  OUTRIGGER_REQUIRE(Split({again}) == whole);
}

struct Item {
  std::string name, namespace_, version, bytes;
  friend bool operator==(const Item&, const Item&) = default;
};

struct Page {
  absl::Status status;
  kube::ListPage page;
  std::vector<Item> items;
  friend bool operator==(const Page& a, const Page& b) {
    return a.status == b.status && a.items == b.items && a.page.items == b.page.items &&
           a.page.resource_version == b.page.resource_version &&
           a.page.continue_token == b.page.continue_token &&
           a.page.remaining_items == b.page.remaining_items;
  }
};

Page ReadPage(const std::vector<std::string_view>& pieces) {
  kube::ProtobufListPageReader reader;
  Page read;
  const auto on_item = [&read](const kube::ListItem& item) {
    OUTRIGGER_REQUIRE(item.protobuf == item.document);
    read.items.push_back({item.head.name, item.head.namespace_, item.head.resource_version,
                          std::string(item.document)});
    return absl::OkStatus();
  };
  for (const std::string_view piece : pieces) {
    const std::vector<char> memory(piece.begin(), piece.end());
    read.status = reader.Feed({memory.data(), memory.size()}, on_item);
    if (!read.status.ok()) return read;
  }
  absl::StatusOr<kube::ListPage> page = reader.Finish();
  read.status = page.status();
  if (page.ok()) read.page = *std::move(page);
  return read;
}

// A page gives all items of its list, each as it stands there, or is refused.
void CheckPage(const Page& page, const Fields& whole) {
  CheckStatus(page.status);
  std::vector<std::string> items;
  for (const auto& [field, bytes] : whole.fields) {
    if (field == ProtobufListSplitter::kItem) items.push_back(bytes);
  }
  OUTRIGGER_REQUIRE(page.items.size() <= items.size());
  for (size_t i = 0; i < page.items.size(); ++i) {
    OUTRIGGER_REQUIRE(page.items[i].bytes == items[i] && !page.items[i].name.empty());
  }
  if (!page.status.ok()) return;
  OUTRIGGER_REQUIRE(whole.complete && page.items.size() == items.size());
  OUTRIGGER_REQUIRE(page.page.items == items.size() && !page.page.resource_version.empty());
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const auto first = static_cast<uint8_t>(input[0]);
  const size_t size = 1 + static_cast<uint8_t>(input[1]);
  const std::string_view body = input.substr(2);
  const Fields whole = Split({body});
  const Page page = ReadPage({body});
  for (const auto& pieces : {Pieces(body, first, size), Pieces(body, 0, 1)}) {
    OUTRIGGER_REQUIRE(Split(pieces) == whole);
    OUTRIGGER_REQUIRE(ReadPage(pieces) == page);
  }
  CheckStatus(whole.status);
  CheckPage(page, whole);
  if (whole.complete) CheckWhole(body, whole);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
