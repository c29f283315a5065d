/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all parsers, for programs that link them all. */
#pragma once

#include "parser/parse.h"

#define P(id) extern const struct parser parser_##id;
PARSERS
#undef P

static const struct parser *const all_parsers[] = {
#define P(id) &parser_##id,
PARSERS
#undef P
};
