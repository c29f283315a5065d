/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/numastat.h"

PARSER(numa_numastat) = { .name = "numa-numastat", NUMASTAT_PARSER };
