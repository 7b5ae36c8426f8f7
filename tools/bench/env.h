/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_ENV_H
#define BENCH_ENV_H

#include <stddef.h>

#include "model.h"
#include "place.h"

/*
 * Record where the measurement takes place: kernel, filesystem, mount options,
 * device, memory, CPU, page size, governors, emulation, exact command. 0 or -ENOMEM.
 */
int env_record(struct result *r, const struct place *p);

/* Keep the command line as given, before the options are parsed. 0 or -E2BIG (told). */
int command_keep(int argc, char **argv);

/* The arguments as given, NULL-terminated. */
char **command_argv(void);

/* Which build of filesystem @type's module is loaded: its build id or source version. */
void env_module(const char *type, char *buf, size_t size);

/*
 * Mount point and type of the filesystem that holds @path; "/" and "unavailable"
 * when they cannot be told.
 */
void env_mount(const char *path, char *point, size_t point_size, char *type, size_t type_size);

/* The mount point alone. */
void env_mount_point(const char *path, char *buf, size_t size);

#endif
