/* SPDX-License-Identifier: GPL-2.0 */
/* Which modules are loaded, by /proc/modules. */
#ifndef DROPBEHIND_MODULES_H
#define DROPBEHIND_MODULES_H

/*
 * Shortens the text of /proc/modules, in place, to what only loading and unloading changes: name,
 * size, state, address, taints.  A module's count and list of users, third and fourth on its line
 * (kernel/module/procfs.c), come and go with every mount and every open device.
 */
void db_modules_forget_users(char *text);

#endif
