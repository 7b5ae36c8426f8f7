/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DROPBEHIND_RECORD_H
#define DROPBEHIND_RECORD_H

#include "options.h"

int db_verb_record(struct db_options *options);

#endif
