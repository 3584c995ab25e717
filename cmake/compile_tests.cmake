# SPDX-License-Identifier: BSL-1.0
# What tests and examples share: the compiler's command line for tests that call the compiler themselves, and helpers that add tests.

set(CMAKE_CXX_EXTENSIONS OFF)
set(syntax_flags -std=c++20 "-I${PROJECT_SOURCE_DIR}/include")
# Boost is a system include, as it is for users. One of the compiler's own folders must not be named again: include_next would miss it.
foreach(target Boost::headers Boost::hana)
  if(TARGET ${target})
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
    foreach(folder IN LISTS folders)
      list(APPEND syntax_flags -isystem "${folder}")
    endforeach()
    break()
  endif()
endforeach()
get_target_property(warning_flags shardplan_warnings INTERFACE_COMPILE_OPTIONS)

# Scripts read this file instead of a dozen -D arguments.
set(SHARDPLAN_TOOLCHAIN "${PROJECT_BINARY_DIR}/toolchain.cmake")
configure_file("${PROJECT_SOURCE_DIR}/tests/support/toolchain.cmake.in" "${SHARDPLAN_TOOLCHAIN}" @ONLY)

# A test that is a script: shardplan_add_script_test(<name> <label> <script> [<VARIABLE=value>...]). It skips itself by printing SKIPPED.
function(shardplan_add_script_test name label script)
  list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE definitions)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" "-DTOOLCHAIN=${SHARDPLAN_TOOLCHAIN}" ${definitions} -P "${script}")
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "SKIPPED")
endfunction()

# A test that compiles one file without a warning: shardplan_add_syntax_test(<name> <label> <file> [<flag>...])
function(shardplan_add_syntax_test name label file)
  add_test(NAME ${name} COMMAND "${CMAKE_CXX_COMPILER}" ${syntax_flags} ${warning_flags} ${ARGN} -fsyntax-only "${file}")
  set_tests_properties(${name} PROPERTIES LABELS ${label})
endfunction()

# A test that cannot run here, and says why.
function(shardplan_add_skipped_test name label reason)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "SKIPPED: ${reason}")
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "SKIPPED")
endfunction()
