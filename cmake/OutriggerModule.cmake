# outrigger_add_module(<name> SOURCES a.cc ... [DEPENDS module ...] [LINK library ...])
#
# One folder of src/ as a static library `outrigger_<name>`. Its headers are reachable as
# "<name>/header.h", and only by targets that link it: the include folder of a module is a link to
# that one folder, so an include against the direction of dependencies does not compile.
function(outrigger_add_module NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK;PRIVATE_LINK" ${ARGN})
  set(target outrigger_${NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  set(include_dir "${CMAKE_BINARY_DIR}/modules/${NAME}")
  file(MAKE_DIRECTORY "${include_dir}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${include_dir}/${NAME}" SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include_dir}>)
  foreach(dep IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PUBLIC outrigger_${dep})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LINK}
    PRIVATE ${ARG_PRIVATE_LINK} $<BUILD_INTERFACE:outrigger_flags>)
  set_property(GLOBAL APPEND PROPERTY OUTRIGGER_MODULES ${target})
endfunction()
