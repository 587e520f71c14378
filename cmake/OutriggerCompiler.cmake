# Flags for all of our own targets, through one interface target.
add_library(outrigger_flags INTERFACE)
target_compile_options(outrigger_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${OUTRIGGER_WERROR}>:-Werror>
  # What members are guarded by is checked (include/outrigger/base/mutex.h).
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # gcc 12 at -O3 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # gcc 14 at -O3 takes a literal + a long std::string for one that writes past a short string's
  # buffer.
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>>:-Wno-array-bounds;-Wno-stringop-overflow>"
  # __FILE__ and ccache must not depend on where the tree lies.
  -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)

# With sanitizers programs are some hundred MB, and clang's linker takes a fifth of the time.
if(OUTRIGGER_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld OUTRIGGER_LLD)
  if(OUTRIGGER_LLD)
    target_link_options(outrigger_flags INTERFACE -fuse-ld=lld)
  endif()
endif()

if(OUTRIGGER_SANITIZE)
  string(REPLACE "," ";" _sanitizers "${OUTRIGGER_SANITIZE}")
  foreach(_sanitizer IN LISTS _sanitizers)
    if(_sanitizer STREQUAL "undefined")
      # In what tests themselves do it would be a fourth of what the compiler does for them.
      target_compile_options(outrigger_flags INTERFACE
        $<$<NOT:$<BOOL:$<TARGET_PROPERTY:OUTRIGGER_OF_TESTS>>>:-fsanitize=undefined>)
    else()
      target_compile_options(outrigger_flags INTERFACE -fsanitize=${_sanitizer})
    endif()
  endforeach()
  target_compile_options(outrigger_flags INTERFACE -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(outrigger_flags INTERFACE -fsanitize=${OUTRIGGER_SANITIZE})
  # What is only run here takes less of the disk: archives that name their objects, and programs without the
  # relocations of a PIE, a fifth of each; thread sanitizer wants these.
  set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> qT <TARGET> <LINK_FLAGS> <OBJECTS>")
  if("thread" IN_LIST _sanitizers)
    # gcc 12 warns that atomic_thread_fence is not modelled; no code of ours uses fences.
    target_compile_options(outrigger_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  else()
    target_link_options(outrigger_flags INTERFACE -no-pie)
  endif()
endif()

if(OUTRIGGER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "OUTRIGGER_FUZZ needs clang (libFuzzer): use the preset fuzz")
  endif()
  # Coverage feedback for the code of ours; the fuzzers alone link libFuzzer and its main().
  target_compile_options(outrigger_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(OUTRIGGER_COVERAGE)
  target_compile_options(outrigger_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(outrigger_flags INTERFACE --coverage)
endif()

if(OUTRIGGER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(OUTRIGGER_CCACHE_PROGRAM ccache)
  if(OUTRIGGER_CCACHE_PROGRAM)
    # Precompiled headers need the two sloppiness flags; the base directory lets clones share hits.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
      "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" "CCACHE_NOHASHDIR=1"
      ${OUTRIGGER_CCACHE_PROGRAM})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(outrigger_flags INTERFACE -fpch-preprocess)
    endif()
  endif()
endif()
