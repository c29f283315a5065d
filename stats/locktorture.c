/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parser/torture.h"

PARSER(locktorture) = { .name = "locktorture", TORTURE_PARSER };
