/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of a session's runs.  All runs of A and then all of B would take a
 * drift of the machine for a difference between them (0.4 % drift per run gives
 * 54 % false alarms); A B B A cancels what drifts in a straight line.
 */
#pragma once

#include <stddef.h>

/*
 * Fills @out with n * rounds numbers below @n: each round has every one once,
 * odd rounds backwards.
 */
void order_fill(size_t n, size_t rounds, size_t *out);
