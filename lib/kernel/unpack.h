/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed bytes as kernel images and module files hold them: gzip, xz, lzma,
 * zstd and lz4 (the legacy form that the kernel's build uses).
 */
#pragma once

#include "base/err.h"
#include "base/text.h"

/*
 * Appends what @p unpacks to.  Bytes behind the end are left alone.
 * 0 when done; 1 when it is in none of these forms, which is an answer.
 * Errors: EFBIG when it is more than @max bytes, EBADMSG when it is broken.
 */
_must_check_ int unpack(const void *p, size_t n, size_t max, struct text *out, struct err *e);
