# outrigger_add_module(<name> SOURCES a.cc ... [FOLDERS folder ...] [DEPENDS module ...]
#                      [LINK library ...] [PRIVATE_LINK library ...])
#
# One folder of src/ or agents/ as a static library `outrigger_<name>`. An include is the path below
# src/ or agents/ ("gang/plan/planner.h"), and is reachable only by targets that link the module:
# its include folder has links to that one folder (or to FOLDERS, named from the top of the tree),
# so an include against the direction of dependencies does not compile.
function(outrigger_add_module NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;FOLDERS;DEPENDS;LINK;PRIVATE_LINK" ${ARGN})
  set(target outrigger_${NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  set(include_dir "${CMAKE_BINARY_DIR}/modules/${NAME}")
  if(NOT ARG_FOLDERS)
    file(RELATIVE_PATH ARG_FOLDERS "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  foreach(folder IN LISTS ARG_FOLDERS)
    string(REGEX REPLACE "^(src|agents|include)/" "" prefix "${folder}")
    get_filename_component(parent "${include_dir}/${prefix}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${include_dir}/${prefix}" SYMBOLIC)
  endforeach()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include_dir}>)
  foreach(dep IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PUBLIC outrigger_${dep})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LINK}
    PRIVATE ${ARG_PRIVATE_LINK} $<BUILD_INTERFACE:outrigger_flags>)
  set_property(GLOBAL APPEND PROPERTY OUTRIGGER_MODULES ${target})
endfunction()

# outrigger_embed(<module> <file>...): each text becomes a part of the program, included as "<name>.inc": string
# literals behind commas. It is written when CMake runs, since clang-tidy reads sources of trees that are not built.
function(outrigger_embed module)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME)
    execute_process(
      COMMAND "${CMAKE_COMMAND}" "-DFROM=${CMAKE_CURRENT_SOURCE_DIR}/${file}" "-DTO=${folder}/${name}.inc"
        -P "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake"
      COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake")
  endforeach()
  target_include_directories(outrigger_${module} PRIVATE "${folder}")
endfunction()
