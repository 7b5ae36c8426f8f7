/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which attach mechanisms this kernel accepts, found by trying, and what each
 * adds to the context it observes, found by measuring.
 */
#ifndef DROPBEHIND_SRC_CALIBRATE_H
#define DROPBEHIND_SRC_CALIBRATE_H

#include <linux/types.h>

#include "dropbehind/calibrate.h"
#include "dropbehind/terms.h"
#include "kernel.h"

struct db_mechanisms {
	unsigned int works;	/* bit per enum db_attach: loads and attaches */
	int error[DB_ATTACH_NR];	/* negative errno of the refusal */
	struct db_calibration seen[DB_ATTACH_NR];	/* hits 0: not measured */
};

/* Tries all mechanisms.  0, or the negative errno of the last resort, raw tracepoints. */
int db_calibrate(struct db_mechanisms *mechanisms, const struct db_kernel *kernel);

/*
 * Can contexts be judged through this mechanism?  False unless plain task
 * context looked like it: preempt_count readable, no interrupt served, the
 * flag known and on.
 */
int db_calibrated(const struct db_mechanisms *mechanisms, enum db_attach how);

#endif
