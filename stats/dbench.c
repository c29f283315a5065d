/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/dbench.h"

PARSER(dbench) = { .name = "dbench", DBENCH_PARSER };
