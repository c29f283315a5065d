/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent as the first process of a virtual machine.  Its root is an
 * initramfs that the host made (target/initramfs.h) and that holds all it
 * needs:
 *
 *	/init			this program
 *	/krobot/boot		record: what to do, in this order
 *		module PATH	a kernel module to load; one line each
 *		plan PATH	a plan to run; one line each
 *	further files		what the plans name
 *
 * It runs the plans one after the other and sends each result folder as frames
 * (run/frame.h) over the virtio-serial port FRAME_PORT, then powers off.
 * Nothing is asked of the host meanwhile, so that a boot is the same each time.
 */
#pragma once

#include "base/attr.h"

#define INIT_BOOT	"/krobot/boot"
#define INIT_MODULE	"module"
#define INIT_PLAN	"plan"

/* Does all this as process 1 and turns the machine off. */
_noreturn_ void init_main(void);
