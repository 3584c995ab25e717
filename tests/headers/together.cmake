# SPDX-License-Identifier: BSL-1.0
# All headers stand beside each other in one file, in any order: with the umbrella first as a user writes it, forwards and backwards.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../support/compile.cmake")

file(GLOB_RECURSE headers RELATIVE "${source_dir}/include" "${source_dir}/include/shardplan/*.hpp")
list(FILTER headers EXCLUDE REGEX "_user_macros\\.hpp$")  # a pair, around Boost.Hana
list(SORT headers)
set(forwards shardplan/shardplan.hpp ${headers})
list(REVERSE headers)
set(backwards ${headers})

foreach(order forwards backwards)
  set(text "")
  foreach(header IN LISTS ${order})
    string(APPEND text "#include <${header}>\n")
  endforeach()
  file(WRITE "${binary_dir}/headers_${order}.cpp" "${text}")
  syntax_check("${binary_dir}/headers_${order}.cpp")
  if(NOT exit_code EQUAL 0)
    fail("the headers do not compile together, ${order}" "${output}")
  endif()
endforeach()
