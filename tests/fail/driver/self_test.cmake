# SPDX-License-Identifier: BSL-1.0
# Tests check.cmake itself: each file here says in a comment "DRIVER: regex" what the driver must answer, or "DRIVER: ok".
cmake_minimum_required(VERSION 3.25)
include("${TOOLCHAIN}")

file(GLOB cases "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
foreach(case IN LISTS cases)
  get_filename_component(name "${case}" NAME_WE)
  file(STRINGS "${case}" line REGEX "^// DRIVER: ")
  string(REGEX REPLACE "^// DRIVER: " "" wanted "${line}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" "-DTOOLCHAIN=${TOOLCHAIN}" "-DCASE=${case}" -P "${CMAKE_CURRENT_LIST_DIR}/../check.cmake"
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  if(wanted STREQUAL "ok")
    if(NOT code EQUAL 0)
      message(SEND_ERROR "${name}: the driver refuses a good case: ${text}")
    endif()
  elseif(code EQUAL 0)
    message(SEND_ERROR "${name}: the driver accepts it")
  elseif(NOT wanted OR NOT text MATCHES "${wanted}")
    message(SEND_ERROR "${name}: the driver refuses it for another reason than '${wanted}': ${text}")
  endif()
endforeach()
