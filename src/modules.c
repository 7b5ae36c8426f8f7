// SPDX-License-Identifier: GPL-2.0
#include "modules.h"

#include <string.h>

#define FIELD_USER_COUNT	2
#define FIELD_USERS		3

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
