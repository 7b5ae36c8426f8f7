/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DROPBEHIND_REPORT_H
#define DROPBEHIND_REPORT_H

#include "options.h"

/* Exit status: 0 printed, 1 failed, 2 printed but the recording is incomplete. */
int db_verb_report(struct db_options *options);

#endif
