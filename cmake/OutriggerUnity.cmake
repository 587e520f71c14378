# Several sources of a target as one unit of compilation, which takes a third of the time where the
# headers cost more than the code. Every preset builds this way. Without a preset each source is
# compiled by itself: so the suite `matrix` finds a missing include.
#
# CMAKE_UNITY_BUILD_BATCH_SIZE is for modules and agents; 0 is a module at once, which costs the least
# processor time, and more time after a change. So a name of an unnamed namespace may stand once in a module.
option(OUTRIGGER_UNITY "Compile several sources of a target at once" OFF)
if(OUTRIGGER_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12 CACHE STRING "Sources compiled at once with OUTRIGGER_UNITY")
  # A local name may be one of a neighbour's unnamed namespace, which is no mistake.
  target_compile_options(outrigger_flags INTERFACE -Wno-shadow)
endif()

# outrigger_compile_alone(<source> ...)
#
# Sources of this folder whose unnamed namespace uses a name that a neighbour uses, too (usually
# the row type of a table test).
function(outrigger_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
