# SPDX-License-Identifier: BSL-1.0
# Users define N, M or K as macros, and Windows' headers near, far, small and ERROR. The umbrella is compiled with these and A to Z defined as
# something that breaks wherever it is used.
# The standard library is included before that: it is not ours to keep free of short names. Boost.Hana is read inside the umbrella, which sets such
# macros aside meanwhile.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../support/compile.cmake")

set(text "")
file(GLOB_RECURSE headers "${source_dir}/include/shardplan/*.hpp")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" includes REGEX "^ *# *include *<")
  list(FILTER includes EXCLUDE REGEX "<(shardplan|boost)/")
  foreach(line IN LISTS includes)
    if(NOT text MATCHES "${line}\n")
      string(APPEND text "${line}\n")
    endif()
  endforeach()
endforeach()
foreach(letter A B C D E F G H I J K L M N O P Q R S T U V W X Y Z near far small ERROR)
  string(APPEND text "#define ${letter} @ macro_of_the_user\n")
endforeach()
string(APPEND text "#include <shardplan/shardplan.hpp>\n")

file(WRITE "${binary_dir}/single_letter_macros.cpp" "${text}")
syntax_check("${binary_dir}/single_letter_macros.cpp")
if(NOT exit_code EQUAL 0)
  fail("the umbrella uses a name that users define as a macro" "${output}")
endif()
