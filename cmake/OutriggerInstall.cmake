# cmake --install: the program, the SDK's headers, and a CMake package with which an agent can be
# built outside this tree (tests/out-of-tree is an example).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS outrigger RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
# Under this name on the PATH it is a plugin: kubectl outrigger explain pod ...
install(CODE "file(CREATE_LINK outrigger
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/kubectl-outrigger\" SYMBOLIC)"
  COMPONENT runtime)

get_property(modules GLOBAL PROPERTY OUTRIGGER_MODULES)
add_custom_target(outrigger_installed DEPENDS outrigger outrigger_sdk ${modules})
install(TARGETS outrigger_sdk ${modules} EXPORT OutriggerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
install(DIRECTORY include/outrigger DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Outrigger)
install(EXPORT OutriggerTargets NAMESPACE Outrigger:: DESTINATION ${package_dir} COMPONENT sdk)
configure_package_config_file(cmake/OutriggerConfig.cmake.in
  "${CMAKE_BINARY_DIR}/OutriggerConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${CMAKE_BINARY_DIR}/OutriggerConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_BINARY_DIR}/OutriggerConfig.cmake"
  "${CMAKE_BINARY_DIR}/OutriggerConfigVersion.cmake"
  cmake/OutriggerDependencies.cmake
  cmake/OutriggerAgent.cmake
  cmake/OutriggerTest.cmake
  DESTINATION ${package_dir} COMPONENT sdk)
