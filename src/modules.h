/* SPDX-License-Identifier: GPL-2.0 */
/* Which modules are loaded. */
#ifndef DROPBEHIND_MODULES_H
#define DROPBEHIND_MODULES_H

#include <linux/types.h>

/*
 * Tells one loading of a module from the next, by its folder in sysfs; 0: it is not loaded.
 * Built in, it may have a folder too, which stays.
 */
__u64 db_module_instance(const char *module);

/*
 * Shortens the text of /proc/modules, in place, to what only loading and unloading changes: name,
 * size, state, address, taints.  A module's count and list of users, third and fourth on its line
 * (kernel/module/procfs.c), come and go with every mount and every open device.
 */
void db_modules_forget_users(char *text);

#endif
