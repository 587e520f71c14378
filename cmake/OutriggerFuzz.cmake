# outrigger_add_fuzzer(<name> SOURCES f.cc ... [LINK target ...] [MAX_LEN n])
#
# One entry point LLVMFuzzerTestOneInput() that asserts properties of what it is given. In every
# build it becomes outrigger_fuzz_<name>_corpus and the ctest fuzz_corpus_<name>, which runs each
# file of corpus/<name> through it once; with OUTRIGGER_FUZZ also the libFuzzer program
# outrigger_fuzz_<name>, which scripts/fuzz runs. MAX_LEN is the longest input that libFuzzer makes
# up (default 4096). dict/<name>.dict is handed to libFuzzer where it exists.
function(outrigger_add_fuzzer NAME)
  cmake_parse_arguments(ARG "" "MAX_LEN" "SOURCES;LINK" ${ARGN})
  set(object outrigger_fuzz_${NAME}_object)
  add_library(${object} OBJECT ${ARG_SOURCES})
  target_link_libraries(${object} PUBLIC ${ARG_LINK} PRIVATE outrigger_flags)

  set(corpus outrigger_fuzz_${NAME}_corpus)
  add_executable(${corpus} $<TARGET_OBJECTS:${object}>)
  target_link_libraries(${corpus} PRIVATE outrigger_fuzz_driver ${object} outrigger_flags)
  add_test(NAME fuzz_corpus_${NAME}
    COMMAND ${corpus} "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${NAME}")
  set_tests_properties(fuzz_corpus_${NAME} PROPERTIES TIMEOUT 300)

  if(OUTRIGGER_FUZZ)
    set(fuzzer outrigger_fuzz_${NAME})
    add_executable(${fuzzer} $<TARGET_OBJECTS:${object}>)
    target_link_libraries(${fuzzer} PRIVATE ${object} outrigger_flags)
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    if(NOT ARG_MAX_LEN)
      set(ARG_MAX_LEN 4096)
    endif()
    set_property(GLOBAL APPEND PROPERTY OUTRIGGER_FUZZERS "${NAME} ${ARG_MAX_LEN}")
    set_property(GLOBAL APPEND PROPERTY OUTRIGGER_FUZZ_TARGETS ${fuzzer})
  endif()
endfunction()

# The target outrigger_fuzzers and, for scripts/fuzz, the file fuzzers.txt: "<name> <longest input>"
# a line, in the order in which they were added.
function(outrigger_list_fuzzers)
  get_property(fuzzers GLOBAL PROPERTY OUTRIGGER_FUZZERS)
  get_property(targets GLOBAL PROPERTY OUTRIGGER_FUZZ_TARGETS)
  list(JOIN fuzzers "\n" lines)
  file(WRITE "${CMAKE_BINARY_DIR}/fuzzers.txt" "${lines}\n")
  add_custom_target(outrigger_fuzzers DEPENDS ${targets})
endfunction()
