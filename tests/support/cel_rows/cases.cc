#include "cases.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cel::testing {
namespace {

using Json = nlohmann::json;

std::string_view TextOf(const Json& json) {
  return json.get_ref<const std::string&>();
}

absl::Status AddList(DeviceBuilder& builder, const std::string& name, const std::string& kind,
                     const Json& values) {
  if (kind == "bools") {
    const auto count = values.size();
    const auto bools = std::make_unique<bool[]>(count);
    for (size_t i = 0; i < count; ++i) bools[i] = values[i].get<bool>();
    builder.AddBools(name, {bools.get(), count});
    return absl::OkStatus();
  }
  if (kind == "ints") {
    builder.AddInts(name, values.get<std::vector<int64_t>>());
    return absl::OkStatus();
  }
  std::vector<std::string_view> texts;
  for (const Json& value : values) texts.push_back(TextOf(value));
  if (kind == "versions") return builder.AddVersions(name, texts);
  builder.AddStrings(name, texts);
  return absl::OkStatus();
}

absl::Status AddAttribute(DeviceBuilder& builder, const std::string& name, const Json& attribute,
                          bool lists) {
  const std::string& kind = attribute.begin().key();
  const Json& value = attribute.begin().value();
  if (value.is_array()) {
    return lists ? AddList(builder, name, kind, value)
                 : absl::InvalidArgumentError("unsupported attribute value");
  }
  if (kind == "version") return builder.AddVersion(name, TextOf(value));
  if (kind == "bool") {
    builder.AddBool(name, value.get<bool>());
  } else if (kind == "int") {
    builder.AddInt(name, value.get<int64_t>());
  } else {
    builder.AddString(name, TextOf(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<Device> ReadDevice(const Json& json, bool lists) {
  DeviceBuilder builder;
  const Json& device = json.at("device");
  if (device.contains("attributes")) {
    for (auto it = device["attributes"].begin(); it != device["attributes"].end(); ++it) {
      const absl::Status added = AddAttribute(builder, it.key(), it.value(), lists);
      if (!added.ok()) return added;
    }
  }
  if (device.contains("capacity")) {
    for (auto it = device["capacity"].begin(); it != device["capacity"].end(); ++it) {
      const auto quantity = Quantity::Parse(TextOf(it.value().at("value")));
      if (!quantity.ok()) return quantity.status();
      builder.AddCapacity(it.key(), *quantity);
    }
  }
  return builder.BuildDra(TextOf(json.at("driver")),
                          device.value("allowMultipleAllocations", false));
}

}  // namespace

std::vector<CaseDevice> ReadDevices(const Json& json, bool lists) {
  std::vector<CaseDevice> devices;
  for (const Json& device : json) {
    devices.push_back({device.at("name").get<std::string>(), ReadDevice(device, lists)});
  }
  return devices;
}

std::string_view CompileClass(const absl::StatusOr<Program>& program) {
  if (program.ok()) return "ok";
  return IsWrongResultType(program.status()) ? "type" : "invalid";
}

Json ResultClass(Evaluator& evaluator, const Program& program, const CaseDevice& device) {
  if (!device.device.ok()) return "device";
  switch (evaluator.Evaluate(program, *device.device)) {
    case Verdict::kTrue:
      return true;
    case Verdict::kFalse:
      return false;
    case Verdict::kFailed:
      return "runtime";
    case Verdict::kCost:
      return "cost";
    case Verdict::kNotBool:
      return "notbool";
  }
  return nullptr;
}

Json MakeRow(const std::string& expression, const Environment& environment,
             const std::vector<CaseDevice>& devices, Evaluator& evaluator) {
  Json row = {{"expr", expression}};
  const auto program = Program::Compile(expression, environment);
  row["compile"] = CompileClass(program);
  if (!program.ok()) {
    row["message"] = std::string(program.status().message());
    return row;
  }
  row["output"] = program->output_type() == "any" ? "google.protobuf.Any" : program->output_type();
  for (const CaseDevice& device : devices) {
    row["result"][device.name] = ResultClass(evaluator, *program, device);
    if (!device.device.ok()) continue;
    row["cost"][device.name] = evaluator.cost();
    row["messages"][device.name] = evaluator.Reason();
  }
  return row;
}

}  // namespace outrigger::cel::testing
