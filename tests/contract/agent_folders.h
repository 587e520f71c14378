// Where the agents that are compiled in lie.
#pragma once

namespace outrigger {

// "name=folder;name=folder;", in the order of the names. Valid for as long as the program runs.
const char* AgentFolders();

}  // namespace outrigger
