# SPDX-License-Identifier: BSL-1.0
# Configures, builds and runs the user's project in this folder: cmake -DTOOLCHAIN=... -DHOW=find_package -P consume.cmake
cmake_minimum_required(VERSION 3.25)
include("${TOOLCHAIN}")

set(work "${binary_dir}/consume/${HOW}")
file(REMOVE_RECURSE "${work}")

set(where "-DSHARDPLAN_SOURCE=${source_dir}")
if(HOW STREQUAL "find_package")
  set(prefix "${binary_dir}/consume/prefix")
  file(REMOVE_RECURSE "${prefix}")
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${binary_dir}" --prefix "${prefix}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" wanted "${version}")
  set(where "-DCMAKE_PREFIX_PATH=${prefix}" "-DWANTED_VERSION=${wanted}")
endif()

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}" -DHOW=${HOW} ${where}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${work}/app" COMMAND_ERROR_IS_FATAL ANY)
