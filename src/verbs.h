/* SPDX-License-Identifier: GPL-2.0 */
/* The verbs there are; a new one gets a row in verbs.c and a file of its own. */
#ifndef DROPBEHIND_VERBS_H
#define DROPBEHIND_VERBS_H

#include "options.h"

/* Ended by a row without a name. */
extern const struct db_verb db_verbs[];

#endif
