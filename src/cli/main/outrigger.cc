#include "cli/main.h"
#include "console/format/text.h"
#include "outrigger/base/text.h"

int main(int argc, char** argv) {
  std::vector<std::string> left_out;
  if (*OUTRIGGER_AGENTS_LEFT_OUT != '\0') {
    left_out = outrigger::SplitList(OUTRIGGER_AGENTS_LEFT_OUT);
  }
  return outrigger::cli::Main(argc, argv, outrigger::Registry(), left_out);
}
