// SPDX-License-Identifier: BSL-1.0
// DRIVER: compiled, and must not
// EXPECT: error
int value = 0;
