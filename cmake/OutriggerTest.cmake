# outrigger_add_test(<name> SOURCES t.cc ... [LINK target ...] [SINGLE_THREADED])
#
# One GoogleTest program outrigger_<name>_test, run by ctest as one test per program: starting a
# process per case costs more than the cases. Inside the project tests may use tests/support.
# SINGLE_THREADED: neither the tests nor what they test start a thread or lock, so there is nothing
# in it for the thread sanitizer, with which it is left out.
find_package(GTest REQUIRED)
find_package(rapidcheck QUIET)

# How many random cases the long properties try. A sanitizer makes each case twenty times as slow.
if(OUTRIGGER_SANITIZE)
  set(OUTRIGGER_PROPERTY_CASES 30 CACHE STRING "Random cases of each long property")
else()
  set(OUTRIGGER_PROPERTY_CASES 500 CACHE STRING "Random cases of each long property")
endif()

set(OUTRIGGER_TEST_BATCH_SIZE 12 CACHE STRING "Sources of a test program compiled at once with OUTRIGGER_UNITY")

function(outrigger_add_test NAME)
  cmake_parse_arguments(ARG "SINGLE_THREADED" "" "SOURCES;LINK" ${ARGN})
  if(ARG_SINGLE_THREADED AND "${OUTRIGGER_SANITIZE}" MATCHES "thread")
    return()
  endif()
  set(target outrigger_${NAME}_test)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  if(TARGET outrigger_flags)
    target_link_libraries(${target} PRIVATE outrigger_flags)
    if(CMAKE_UNITY_BUILD)
      set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${OUTRIGGER_TEST_BATCH_SIZE})
    else()
      # Test sources are small compared with their headers.
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
      target_compile_options(${target} PRIVATE -Wno-shadow)  # as in OutriggerUnity.cmake
    endif()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)  # what is shipped has no tests
  endif()
  set_target_properties(${target} PROPERTIES OUTRIGGER_OF_TESTS ON)
  if(TARGET outrigger_test_support)
    target_link_libraries(${target} PRIVATE outrigger_test_support)
  endif()
  if(COMMAND outrigger_use_test_pch)
    outrigger_use_test_pch(${target})
  endif()
  add_test(NAME ${NAME} COMMAND ${target})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT 300)
  if(OUTRIGGER_SANITIZE)
    set_tests_properties(${NAME} PROPERTIES
      ENVIRONMENT "RC_PARAMS=max_success=${OUTRIGGER_PROPERTY_CASES}")
  endif()
endfunction()

# GoogleTest's headers cost more than most tests: all test programs share one precompiled header.
if(OUTRIGGER_PCH AND TARGET outrigger_flags)
  file(WRITE "${CMAKE_BINARY_DIR}/test_pch.cc" "// Exists to carry the precompiled header of the tests.\n")
  add_library(outrigger_test_pch OBJECT "${CMAKE_BINARY_DIR}/test_pch.cc")
  target_link_libraries(outrigger_test_pch PRIVATE GTest::gmock GTest::gtest outrigger_flags)
  target_compile_options(outrigger_test_pch PRIVATE $<$<CONFIG:Release>:-O0>)
  set_target_properties(outrigger_test_pch PROPERTIES CXX_STANDARD 20 OUTRIGGER_OF_TESTS ON)
  target_precompile_headers(outrigger_test_pch PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <memory> <string> <string_view> <vector>)
  function(outrigger_use_test_pch TARGET)
    target_precompile_headers(${TARGET} REUSE_FROM outrigger_test_pch)
  endfunction()
endif()
