# The two functions that turn agent folders into a program. They are installed with the CMake
# package, so an agent outside this tree is built in exactly the same way.

# outrigger_add_agent(<name> SUMMARY "..." PORT <n> SOURCES a.cc ... [TESTS t.cc ...]
#                     [SCENARIOS s.yaml ...] [LINK lib ...])
#
# Declares the option OUTRIGGER_AGENT_<NAME> (default OUTRIGGER_AGENTS_DEFAULT) and, when it is on,
# the library outrigger_agent_<name>. An agent links the SDK and what LINK names, nothing else.
function(outrigger_add_agent NAME)
  cmake_parse_arguments(ARG "" "SUMMARY;PORT" "SOURCES;TESTS;SCENARIOS;LINK" ${ARGN})
  if(NOT NAME MATCHES "^[a-z]([a-z0-9-]*[a-z0-9])?$")
    message(FATAL_ERROR "agent '${NAME}': a name is lower-case letters, digits and '-'")
  endif()
  foreach(required SUMMARY PORT SOURCES)
    if(NOT ARG_${required})
      message(FATAL_ERROR "agent '${NAME}': ${required} is missing")
    endif()
  endforeach()
  get_property(ports GLOBAL PROPERTY OUTRIGGER_AGENT_PORTS)
  if("${ARG_PORT}" IN_LIST ports)
    message(FATAL_ERROR "agent '${NAME}': port ${ARG_PORT} belongs to another agent already")
  endif()
  set_property(GLOBAL APPEND PROPERTY OUTRIGGER_AGENT_PORTS "${ARG_PORT}")

  string(REPLACE "-" "_" identifier "${NAME}")
  string(TOUPPER "${identifier}" upper)
  if(NOT DEFINED OUTRIGGER_AGENTS_DEFAULT)
    set(OUTRIGGER_AGENTS_DEFAULT ON)
  endif()
  option(OUTRIGGER_AGENT_${upper} "Compile in agent ${NAME}: ${ARG_SUMMARY}"
    ${OUTRIGGER_AGENTS_DEFAULT})
  if(NOT OUTRIGGER_AGENT_${upper})
    set_property(GLOBAL APPEND PROPERTY OUTRIGGER_AGENTS_LEFT_OUT "${NAME}")
    return()
  endif()

  set(target outrigger_agent_${identifier})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # The agent's own folder, and no other, is on its include path beside the SDK.
  target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC Outrigger::sdk)
  target_link_libraries(${target} PUBLIC ${ARG_LINK})
  if(TARGET outrigger_flags)
    target_link_libraries(${target} PRIVATE outrigger_flags)
  endif()
  # The namespace outrigger::<name>, with "_agent" behind a name that is a keyword.
  set(namespace "${identifier}")
  if(identifier MATCHES "^(auto|bool|break|case|catch|char|class|concept|const|continue|default|delete|do|double|else|enum|explicit|export|extern|false|float|for|friend|goto|if|inline|int|long|mutable|namespace|new|operator|private|protected|public|register|requires|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try|typedef|typename|union|unsigned|using|virtual|void|volatile|while)$")
    string(APPEND namespace "_agent")
  endif()
  set_target_properties(${target} PROPERTIES
    OUTRIGGER_AGENT_NAME "${NAME}"
    OUTRIGGER_AGENT_SUMMARY "${ARG_SUMMARY}"
    OUTRIGGER_AGENT_PORT "${ARG_PORT}"
    OUTRIGGER_AGENT_NAMESPACE "${namespace}"
    OUTRIGGER_AGENT_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}")
  set_property(GLOBAL APPEND PROPERTY OUTRIGGER_AGENT_TARGETS ${target})

  if(ARG_TESTS AND COMMAND outrigger_add_test)
    outrigger_add_test(agent_${identifier} SOURCES ${ARG_TESTS} LINK ${target})
  endif()
endfunction()

# outrigger_generate_registry(<target> [AGENTS name ...])
#
# Adds to <target> a generated source with the explicit array of agents (all that were added, or
# those named) and links them. No self-registering static objects: a linker drops those silently.
function(outrigger_generate_registry TARGET)
  cmake_parse_arguments(ARG "" "" "AGENTS" ${ARGN})
  get_property(agents GLOBAL PROPERTY OUTRIGGER_AGENT_TARGETS)
  set(declarations "")
  set(entries "")
  list(SORT agents)
  foreach(agent IN LISTS agents)
    get_target_property(name ${agent} OUTRIGGER_AGENT_NAME)
    if(ARG_AGENTS AND NOT name IN_LIST ARG_AGENTS)
      continue()
    endif()
    get_target_property(summary ${agent} OUTRIGGER_AGENT_SUMMARY)
    get_target_property(port ${agent} OUTRIGGER_AGENT_PORT)
    get_target_property(namespace ${agent} OUTRIGGER_AGENT_NAMESPACE)
    get_target_property(folder ${agent} OUTRIGGER_AGENT_FOLDER)
    string(REPLACE "\\" "\\\\" summary "${summary}")
    string(REPLACE "\"" "\\\"" summary "${summary}")
    string(APPEND declarations
      "namespace outrigger::${namespace} { ::outrigger::AgentFactory MakeFactory(); }\n")
    string(APPEND entries
      "      {\"${name}\", \"${summary}\", ${port}, ::outrigger::${namespace}::MakeFactory()},\n")
    # Without the agent's include folders: the flags of the target are the same for each choice.
    target_link_libraries(${TARGET} PRIVATE $<LINK_ONLY:${agent}>)
  endforeach()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_registry.cc")
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT
"// Generated from the agents that are compiled in; do not edit.
#include \"outrigger/agent/registry.h\"

@declarations@
namespace outrigger {

const std::vector<AgentInfo>& Registry() {
  static const std::vector<AgentInfo> agents = {
@entries@  };
  return agents;
}

}  // namespace outrigger
")
  target_sources(${TARGET} PRIVATE "${file}")
  # Another choice of agents then compiles this source and no other.
  set_source_files_properties("${file}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# outrigger_add_executable(<target> [AGENTS name ...])
#
# The whole program, with the agents added so far (or those named): for use outside this tree.
function(outrigger_add_executable TARGET)
  cmake_parse_arguments(ARG "" "" "AGENTS" ${ARGN})
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_main.cc")
  file(WRITE "${file}"
"// Generated; do not edit.
#include \"outrigger/agent/registry.h\"

namespace outrigger::cli {
int Main(int argc, char** argv, const std::vector<AgentInfo>& registry,
         const std::vector<std::string>& left_out);
}

int main(int argc, char** argv) {
  return outrigger::cli::Main(argc, argv, outrigger::Registry(), {});
}
")
  add_executable(${TARGET} "${file}")
  target_link_libraries(${TARGET} PRIVATE Outrigger::outrigger_cli)
  outrigger_generate_registry(${TARGET} AGENTS ${ARG_AGENTS})
endfunction()
