#include "questions.h"

#include <random>

#include "builders.h"

namespace outrigger::contract {
namespace {

using testing::MakeNode;
using testing::MakePod;

std::string RandomBytes(std::mt19937* random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>((*random)() & 0xff);
  return bytes;
}

MakeNode WithAmounts(std::string_view name, const char* amount) {
  return MakeNode(name)
      .Allocatable("cpu", amount)
      .Allocatable("memory", amount)
      .Allocatable("pods", amount);
}

void SetAll(const std::vector<std::string>& keys, std::string_view text, MakeNode* node) {
  for (const std::string& key : keys) node->Annotation(key, text).Label(key, text);
}

}  // namespace

std::vector<std::string> KeysOf(const AgentInfo& info, const Agent& agent) {
  std::vector<std::string> keys = agent.Reads().annotation_keys();
  for (const SettingSpec& setting : info.factory.settings.specs()) {
    if (setting.type == "text" && !setting.default_text.empty()) {
      keys.push_back(setting.default_text);
    }
  }
  return keys;
}

std::vector<std::string> HostileTexts() {
  std::vector<std::string> texts = {"",
                                    " ",
                                    "0",
                                    "-0",
                                    "-1",
                                    "NaN",
                                    "-nan",
                                    "nan(1)",
                                    "Inf",
                                    "-Inf",
                                    "infinity",
                                    "1e308",
                                    "-1e308",
                                    "1.8e308",
                                    "1e999999999",
                                    "1e-400",
                                    "5e-324",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "9223372036854775808",
                                    "0x1p3",
                                    "0x10",
                                    "+",
                                    "-",
                                    "+-1",
                                    "--1",
                                    ".",
                                    "e",
                                    "1e",
                                    "1,5",
                                    "12.5Gi",
                                    " 5",
                                    "5 ",
                                    "5\n",
                                    "true",
                                    "prefer",
                                    "null",
                                    "{}",
                                    "[]",
                                    "%s%n{}",
                                    "\r\nX: y",
                                    "\xff\xfe",
                                    "\xd9\xa3",
                                    std::string("5\0", 2),
                                    std::string(10'240, '9'),
                                    std::string(10'240, ' '),
                                    "0." + std::string(10'240, '1')};
  std::mt19937 random(20240601);
  for (const size_t size : std::initializer_list<size_t>{1U, 2U, 7U, 63U, 255U, 10'240U}) {
    texts.push_back(RandomBytes(&random, size));
  }
  return texts;
}

std::vector<Node> OrdinaryNodes(const std::vector<std::string>& keys) {
  std::mt19937 random(7);
  std::vector<Node> nodes;
  for (int i = 0; i < 38; ++i) {
    MakeNode node(fmt::format("node-{}", i));
    for (const std::string& key : keys) {
      const auto value = random() % 5000;
      node.Annotation(key, std::to_string(value)).Label(key, value % 3 == 0 ? "true" : "prefer");
    }
    nodes.push_back(node);
  }
  nodes.push_back(MakeNode("bare").NoAllocatable());
  nodes.push_back(MakeNode("unknown").Unknown());
  return nodes;
}

std::vector<Node> HostileNodes(const std::vector<std::string>& keys) {
  const std::vector<std::string> texts = HostileTexts();
  std::mt19937 random(11);
  std::vector<Node> nodes;
  for (const char* amount : {"4", "0", "-1", "1n", "8Ei", "9223372036854775807"}) {
    for (const std::string& text : texts) {
      MakeNode alike = WithAmounts("alike", amount);
      SetAll(keys, text, &alike);
      nodes.push_back(alike);
      MakeNode mixed = WithAmounts("mixed", amount);
      for (const std::string& key : keys) mixed.Annotation(key, texts[random() % texts.size()]);
      nodes.push_back(mixed);
    }
  }
  // Names too come from outside.
  for (const std::string& text : texts) nodes.push_back(MakeNode(text));
  return nodes;
}

std::vector<Pod> Pods() {
  return {MakePod("idle"), MakePod("ordinary").Requests({{"cpu", "500m"}, {"memory", "1Gi"}}),
          MakePod("huge").Requests({{"cpu", "9223372036854775807"}, {"memory", "8Ei"}}),
          MakePod("negative").Requests({{"cpu", "-1"}, {"memory", "-1"}})};
}

}  // namespace outrigger::contract
