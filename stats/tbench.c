/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/dbench.h"

PARSER(tbench) = { .name = "tbench", DBENCH_PARSER };
