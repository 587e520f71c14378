// Compiles and evaluates expressions, for comparison with upstream's compiler:
//
//   outrigger_cel_rows TABLE < expressions > rows
//
// TABLE is a JSON file with "devices" (as tests/golden/cel.json), each line of the input a JSON
// text, each line of the output a row: {"expr", "compile", "output", "result", "cost", "messages"}.
#include <fstream>
#include <iostream>
#include <string>

#include "cases.h"

int main(int argc, char** argv) {
  using outrigger::cel::testing::MakeRow;
  using outrigger::cel::testing::ReadDevices;
  if (argc != 2) {
    std::cerr << "usage: outrigger_cel_rows TABLE < expressions\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  const auto table = nlohmann::json::parse(file);
  const auto devices = ReadDevices(table.at("devices"), false);
  outrigger::cel::Evaluator evaluator;
  for (std::string line; std::getline(std::cin, line);) {
    const auto expression = nlohmann::json::parse(line).get<std::string>();
    std::cout << MakeRow(expression, outrigger::cel::DraEnvironment(), devices, evaluator).dump()
              << '\n';
  }
  return 0;
}
