// SPDX-License-Identifier: GPL-2.0
#include "modules.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FIELD_USER_COUNT	2
#define FIELD_USERS		3

__u64 db_module_instance(const char *module)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return stat(path, &st) ? 0 : st.st_ino;
}

void db_modules_forget_users(char *text)
{
	unsigned int field = 0;
	char *out = text;

	for (; *text; text++) {
		if (field != FIELD_USER_COUNT && field != FIELD_USERS)
			*out++ = *text;
		if (*text == '\n')
			field = 0;
		else if (*text == ' ')
			field++;
	}
	*out = 0;
}
