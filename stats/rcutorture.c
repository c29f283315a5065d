/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/torture.h"

PARSER(rcutorture) = { .name = "rcutorture", TORTURE_PARSER };
