// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "session.h"

extern const struct preset preset_f2fs_dontcache, preset_f2fs_dontcache_read, preset_paced,
	preset_control, preset_per_second, preset_f2fs_large_folio, preset_neighbour,
	preset_fsync_neighbour;

const struct preset *const presets[] = {
	&preset_f2fs_dontcache,
	&preset_f2fs_dontcache_read,
	&preset_paced,
	&preset_control,
	&preset_per_second,
	&preset_f2fs_large_folio,
	&preset_neighbour,
	&preset_fsync_neighbour,
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
