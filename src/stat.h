/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DROPBEHIND_STAT_H
#define DROPBEHIND_STAT_H

#include "options.h"

/* Runs the verb; returns the exit status. */
int db_verb_stat(struct db_options *options);

#endif
