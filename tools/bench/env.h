/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_ENV_H
#define BENCH_ENV_H

#include "model.h"
#include "place.h"

/*
 * Record where the measurement takes place: kernel, filesystem, mount options,
 * device, memory, CPU, page size, governor, emulation, exact command. 0 or -ENOMEM.
 */
int env_record(struct result *r, const struct place *p);

/* Keep the command line as given, before the options are parsed. 0 or -E2BIG (told). */
int command_keep(int argc, char **argv);

#endif
