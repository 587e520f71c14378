#include "cli/devices/shapes.h"

#include <algorithm>
#include <string_view>

#include "cli/format/text.h"
#include "cli/format/yaml.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPrototypeVersion = "devmgmtproto.k8s.io/v1alpha1";
constexpr std::string_view kGroup = "example.com-";

/// What one kind of devices is like on every NUMA node of a shape.
struct Part {
  const char* kind;  // "foozer"
  const char* model;
  const char* firmware;
  const char* driver_version;
  int per_numa;
};

struct Shape {
  const char* name;
  int numa_nodes;
  bool has_names;  // one pool a node that lists its devices; else one a NUMA node that counts
  std::vector<Part> parts;
};

constexpr const char* kFoozerDriverVersion = "1.8.2";

// The newer generator has the two versions swapped.
Shape Listing(const char* name, const char* model, int numa_nodes, int per_numa) {
  return {name, numa_nodes, true, {{"foozer", model, "1.8.2", "4.2.1-gen3", per_numa}}};
}

const std::vector<Shape>& Shapes() {
  constexpr const char* kVersion = kFoozerDriverVersion;
  static const std::vector<Shape> shapes = {
      {"zero", 1, false, {{"foozer", "foozer-1000", "4.2.1-gen3", kVersion, 2}}},
      {"one", 2, false, {{"foozer", "foozer-1000", "4.2.1-gen3", kVersion, 2}}},
      {"two", 4, false, {{"foozer", "foozer-4000", "4.2.1-gen7", kVersion, 4}}},
      {"three", 4, false, {{"barzer", "barzer-1000", "1.1.1", kVersion, 4}}},
      {"foozer-barzer",
       4,
       false,
       {{"foozer", "foozer-1000", "4.2.1-gen3", kVersion, 2},
        {"barzer", "barzer-1000", "1.1.1", kVersion, 2}}},
      Listing("foozer-1000-tiny", "foozer-1000", 1, 2),
      Listing("foozer-1000-small", "foozer-1000", 1, 4),
      Listing("foozer-1000-medium", "foozer-1000", 2, 4),
      Listing("foozer-1000-large", "foozer-1000", 4, 4),
      Listing("foozer-4000-tiny", "foozer-4000", 1, 2),
      Listing("foozer-4000-small", "foozer-4000", 1, 4),
      Listing("foozer-4000-medium", "foozer-4000", 2, 4),
      Listing("foozer-4000-large", "foozer-4000", 4, 4),
  };
  return shapes;
}

std::string DriverOf(const Part& part) {
  return fmt::format("{}{}", kGroup, part.kind);
}

Json NumaAttribute(int numa) {
  return {{"name", "numa"}, {"stringValue", fmt::format("{}", numa)}};
}

Json AttributesOf(const Part& part) {
  return {{{"name", "vendor"}, {"stringValue", "example.com"}},
          {{"name", "model"}, {"stringValue", part.model}},
          {{"name", "firmwareVersion"}, {"semVerValue", part.firmware}},
          {{"name", "driverVersion"}, {"semVerValue", part.driver_version}}};
}

Json Pool(const std::string& name, const std::string& node, const Part& part) {
  return {{"apiVersion", kPrototypeVersion},
          {"kind", "DevicePool"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"nodeName", node}, {"driver", DriverOf(part)}, {"attributes", AttributesOf(part)}}}};
}

// A pool that counts, of one NUMA node.
Json CountingPool(const std::string& node, const Part& part, int numa) {
  Json pool = Pool(fmt::format("{}-{}-{:02}", node, part.kind, numa), node, part);
  pool["spec"]["attributes"].push_back(NumaAttribute(numa));
  pool["spec"]["count"] = part.per_numa;
  return pool;
}

// A pool of the whole node. The prototype has the same name for all nodes' pools.
Json ListingPool(const std::string& node, const Part& part, int numa_nodes) {
  Json pool = Pool(fmt::format("{}-pool-{}", node, part.kind), node, part);
  for (int i = 0; i < numa_nodes * part.per_numa; ++i) {
    pool["spec"]["devices"].push_back(
        {{"name", fmt::format("dev-{:02}", i)},
         {"attributes", Json::array({NumaAttribute(i / part.per_numa)})}});
  }
  return pool;
}

Json NodeObject(const std::string& name) {
  const Json room = {{"cpu", "64"}, {"memory", "256Gi"}, {"pods", "110"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
          {"status",
           {{"capacity", room},
            {"allocatable", room},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

// As agents/devices/examples have them.
Json DriverObject(const Part& part) {
  const bool is_nic = std::string_view(part.kind) == "barzer";
  return {{"apiVersion", kPrototypeVersion},
          {"kind", "DeviceDriver"},
          {"metadata", {{"name", DriverOf(part)}}},
          {"deviceTypes", is_nic ? Json::array({"gpu", "sriov-nic"}) : Json::array({"gpu"})}};
}

void AddNode(const Shape& shape, int number, std::vector<Json>* objects) {
  const std::string node =
      fmt::format("{}{}-{:02}", shape.has_names ? "" : "shape-", shape.name, number);
  objects->push_back(NodeObject(node));
  if (shape.has_names) {
    for (const Part& part : shape.parts) {
      objects->push_back(ListingPool(node, part, shape.numa_nodes));
    }
    return;
  }
  for (int numa = 0; numa < shape.numa_nodes; ++numa) {
    for (const Part& part : shape.parts) objects->push_back(CountingPool(node, part, numa));
  }
}

}  // namespace

std::vector<std::string> ShapeNames() {
  std::vector<std::string> names;
  for (const Shape& shape : Shapes()) names.emplace_back(shape.name);
  return names;
}

absl::StatusOr<std::string> ShapeYaml(const std::string& shape, int nodes) {
  const std::vector<Shape>& shapes = Shapes();
  const auto found = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const Shape& one) { return one.name == shape; });
  if (found == shapes.end()) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("--shape: \"{}\" is not accepted: {}{}", shape, Listed(ShapeNames()),
                              DidYouMean(shape, ShapeNames()))));
  }
  std::vector<Json> objects;
  for (const Part& part : found->parts) objects.push_back(DriverObject(part));
  for (int i = 0; i < nodes; ++i) AddNode(*found, i, &objects);
  std::string yaml;
  for (const Json& object : objects) {
    yaml += (yaml.empty() ? "" : "---\n") + YamlFromJson(object);
  }
  return yaml;
}

}  // namespace outrigger::cli
