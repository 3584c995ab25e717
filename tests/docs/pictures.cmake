# SPDX-License-Identifier: BSL-1.0
# The pictures of docs/pictures are those that the example PROGRAM writes into FOLDER.
cmake_minimum_required(VERSION 3.25)
include("${TOOLCHAIN}")

file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${PROGRAM}" "${FOLDER}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB pictures "${source_dir}/docs/pictures/*.svg")
if(NOT pictures)
  message(FATAL_ERROR "no pictures")
endif()
foreach(picture IN LISTS pictures)
  get_filename_component(name "${picture}" NAME)
  file(READ "${picture}" ours)
  file(READ "${FOLDER}/${name}" written)
  if(NOT ours STREQUAL written)
    message(SEND_ERROR "docs/pictures/${name} is not what the example writes: copy ${FOLDER}/${name}")
  endif()
endforeach()
