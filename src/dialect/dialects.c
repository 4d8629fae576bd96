/* SPDX-License-Identifier: Apache-2.0
 *
 * dialects.c - the table of dialects (dialects.h), alone: a program that brings a table of its own
 * is asked by the same functions (dialect.c). */
#include "dialect/dialects.h"

#define DIALECT_POINTER(name) &dialect_##name,
const struct dialect *const dialects[] = { DIALECT_ROWS(DIALECT_POINTER) NULL };
