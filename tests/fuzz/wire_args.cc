#include "wire_args.h"

#include <set>
#include <string>

#include "check.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

// Of what lies between two elements of an array, or before the first or behind the last.
bool IsBlankWithCommas(std::string_view between, int commas) {
  for (const char c : between) {
    if (c == ',') {
      --commas;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      return false;
    }
  }
  return commas == 0;
}

void CheckRawNodes(std::string_view body, const wire::ExtenderArgs& args) {
  OUTRIGGER_REQUIRE(args.raw_nodes.size() == (args.has_full_nodes ? args.nodes.size() : 0));
  const char* end_of_last = nullptr;
  for (const std::string_view raw : args.raw_nodes) {
    OUTRIGGER_REQUIRE(raw.data() >= body.data() &&
                      raw.data() + raw.size() <= body.data() + body.size());
    OUTRIGGER_REQUIRE(raw.size() >= 2 && raw.front() == '{' && raw.back() == '}');
    if (end_of_last != nullptr) {
      OUTRIGGER_REQUIRE(raw.data() > end_of_last);
      const auto gap = static_cast<size_t>(raw.data() - end_of_last);
      OUTRIGGER_REQUIRE(IsBlankWithCommas({end_of_last, gap}, 1));
    }
    end_of_last = raw.data() + raw.size();
  }
}

}  // namespace

absl::Status DecodeReused(wire::Body body, const Needs& needs, wire::ExtenderArgs** args) {
  static auto* const reused = new wire::ExtenderArgs;
  *args = reused;
  return wire::DecodeExtenderArgs(body, needs, reused);
}

void CheckAccepted(std::string_view body, const wire::ExtenderArgs& args) {
  OUTRIGGER_REQUIRE(args.has_full_nodes || args.has_node_names);
  std::set<std::string_view> names;
  for (const std::string_view name : args.names) {
    OUTRIGGER_REQUIRE(!name.empty());
    OUTRIGGER_REQUIRE(names.insert(name).second);
  }
  OUTRIGGER_REQUIRE(args.nodes.size() == (args.has_full_nodes ? args.names.size() : 0));
  for (const Node& node : args.nodes) OUTRIGGER_REQUIRE(node.known);
  OUTRIGGER_REQUIRE(args.malformed.size() <= wire::kMaxMalformed);
  CheckRawNodes(body, args);
}

void CheckFewer(wire::Body body, const Needs& fewer, const absl::Status& all_status,
                const wire::ExtenderArgs& all) {
  wire::ExtenderArgs* args = nullptr;
  if (!BothAccept(DecodeReused(body, fewer, &args), all_status)) return;
  OUTRIGGER_REQUIRE(args->has_full_nodes == all.has_full_nodes);
  OUTRIGGER_REQUIRE(args->has_node_names == all.has_node_names);
  OUTRIGGER_REQUIRE(args->nodes.size() == all.nodes.size());
  OUTRIGGER_REQUIRE(args->pod.name == all.pod.name && args->pod.uid == all.pod.uid);
  OUTRIGGER_REQUIRE(args->names == all.names);
  for (size_t i = 0; i < all.raw_nodes.size(); ++i) {
    OUTRIGGER_REQUIRE(args->raw_nodes[i].data() == all.raw_nodes[i].data());
    OUTRIGGER_REQUIRE(args->raw_nodes[i].size() == all.raw_nodes[i].size());
  }
}

void CheckAgainst(const nlohmann::json& parsed, const wire::ExtenderArgs& args) {
  const nlohmann::json& nodes = AnyCase(parsed, "Nodes");
  const nlohmann::json& names = AnyCase(parsed, "NodeNames");
  OUTRIGGER_REQUIRE(args.has_full_nodes == !nodes.is_null());
  OUTRIGGER_REQUIRE(args.has_node_names == !names.is_null());
  const nlohmann::json& metadata = Exact(AnyCase(parsed, "Pod"), "metadata");
  OUTRIGGER_REQUIRE(args.pod.name == TextOf(Exact(metadata, "name")));
  OUTRIGGER_REQUIRE(args.pod.namespace_ == TextOf(Exact(metadata, "namespace")));
  OUTRIGGER_REQUIRE(args.pod.uid == TextOf(Exact(metadata, "uid")));
  const nlohmann::json& list = args.has_full_nodes ? AnyCase(nodes, "items") : names;
  OUTRIGGER_REQUIRE(args.names.size() == (list.is_null() ? 0 : list.size()));
  for (size_t i = 0; i < args.names.size(); ++i) {
    const nlohmann::json& name =
        args.has_full_nodes ? Exact(Exact(list[i], "metadata"), "name") : list[i];
    OUTRIGGER_REQUIRE(args.names[i] == TextOf(name));
    if (!args.has_full_nodes) continue;
    const nlohmann::json echoed = Parsed(args.raw_nodes[i]);
    OUTRIGGER_REQUIRE(echoed.is_object());
    OUTRIGGER_REQUIRE(TextOf(Exact(Exact(echoed, "metadata"), "name")) == args.names[i]);
    OUTRIGGER_REQUIRE(args.nodes[i].name == args.names[i]);
  }
}

absl::Status DecodeChecked(std::string_view bytes, const Needs& needs, wire::ExtenderArgs* args) {
  const wire::Body body{bytes.data(), bytes.size()};
  const absl::Status status = wire::DecodeExtenderArgs(body, needs, args);
  CheckStatus(status);
  CheckPaddingAndEnd(bytes, status, [&needs](wire::Body other) {
    wire::ExtenderArgs* reused = nullptr;
    return DecodeReused(other, needs, &reused);
  });
  if (status.ok()) CheckAccepted(bytes, *args);
  return status;
}

}  // namespace outrigger::fuzz
