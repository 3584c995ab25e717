# SPDX-License-Identifier: BSL-1.0
# Headers, a CMake package and a pkg-config file. Nothing depends on the architecture, so all of it goes under include/ and share/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/shardplan")

install(TARGETS shardplan EXPORT shardplan-targets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT shardplan-targets NAMESPACE shardplan:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/shardplan-config.cmake.in "${PROJECT_BINARY_DIR}/shardplan-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/shardplan-config-version.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/shardplan-config.cmake" "${PROJECT_BINARY_DIR}/shardplan-config-version.cmake"
  DESTINATION "${package_dir}")

configure_file(cmake/shardplan.pc.in "${PROJECT_BINARY_DIR}/shardplan.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/shardplan.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
