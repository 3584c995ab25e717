# SPDX-License-Identifier: BSL-1.0
# Installs, asks pkg-config for the flags and compiles with them.
cmake_minimum_required(VERSION 3.25)
include("${TOOLCHAIN}")

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "SKIPPED: no pkg-config")
  return()
endif()

set(prefix "${binary_dir}/consume/prefix_of_pkg_config")
file(REMOVE_RECURSE "${prefix}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${binary_dir}" --prefix "${prefix}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig")
execute_process(COMMAND "${pkg_config}" --cflags "shardplan = ${version}"
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND "${compiler}" -std=c++20 ${flags} -fsyntax-only "${CMAKE_CURRENT_LIST_DIR}/main.cpp" COMMAND_ERROR_IS_FATAL ANY)
