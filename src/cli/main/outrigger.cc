#include "cli/main.h"

int main(int argc, char** argv) { return outrigger::cli::Main(argc, argv, outrigger::Registry()); }
