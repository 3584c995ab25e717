# SPDX-License-Identifier: BSL-1.0
# The block under `<!-- output: NAME -->` in a page stands word for word in what the example NAME prints.
include("${TOOLCHAIN}")

file(READ "${PAGE}" page)
if(NOT page MATCHES "<!-- output: ${NAME} -->\n```text\n([^`]*)```")
  message(FATAL_ERROR "${PAGE}: no block under <!-- output: ${NAME} -->")
endif()
set(block "${CMAKE_MATCH_1}")
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${output}" "${block}" position)
if(position EQUAL -1)
  message("${output}")
  message(FATAL_ERROR "${PAGE}: the program prints something else (above)")
endif()
