// Answers cases of allocation by DRA, for comparison with upstream's allocator: each line of the
// input is a case, each line of the output what its nodes would give (dra_cases.h).
#include <iostream>
#include <string>

#include "dra_cases.h"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << outrigger::dra::testing::AnswersTo(nlohmann::json::parse(line)).dump() << '\n'
              << std::flush;
  }
  return 0;
}
