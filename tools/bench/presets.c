// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "session.h"

extern const struct preset preset_f2fs_dontcache, preset_f2fs_dontcache_read;

const struct preset *const presets[] = {
	&preset_f2fs_dontcache,
	&preset_f2fs_dontcache_read,
	NULL,
};

const struct preset *preset_find(const char *name)
{
	size_t i;

	for (i = 0; presets[i]; i++)
		if (!strcmp(presets[i]->name, name))
			return presets[i];
	return NULL;
}
