/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/numastat.h"

PARSER(numastat) = { .name = "numastat", NUMASTAT_PARSER };
