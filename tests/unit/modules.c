// SPDX-License-Identifier: GPL-2.0
/* What of /proc/modules says that a module came or went. */
#include <string.h>

#include "check.h"
#include "modules.h"

#define XFS	"xfs 2879488 %s Live 0xffffffffc0a00000\n"
#define LOOP	"loop 45056 %s Live 0xffffffffc0730000 (OE)\n"
#define BOTH	"ext4 1150976 2 - Live 0xffffffffc0900000\n" XFS

/* @line with @users for its users, shortened; one at a time. */
static const char *shortened(const char *line, const char *users)
{
	static char text[256];

	snprintf(text, sizeof(text), line, users);
	db_modules_forget_users(text);
	return text;
}

static void test_users(void)
{
	const char *want = "xfs 2879488 Live 0xffffffffc0a00000\n";

	check_str("an unused module", shortened(XFS, "0 -"), want);
	check_str("the same in use", shortened(XFS, "3 -"), want);
	check_str("the same used by other modules", shortened(XFS, "3 one,two,"), want);
	check_str("taints stay", shortened(LOOP, "1 -"),
		  "loop 45056 Live 0xffffffffc0730000 (OE)\n");
	check_str("every line loses its users", shortened(BOTH, "2 -"),
		  "ext4 1150976 Live 0xffffffffc0900000\nxfs 2879488 Live 0xffffffffc0a00000\n");
}

static void test_changes(void)
{
	char before[256];

	strcpy(before, shortened(XFS, "1 -"));
	check(strcmp(before, shortened("xfs 2879488 %s Loading 0xffffffffc0a00000\n", "1 -")) != 0,
	      "a module that is not ready yet differs", "it is the same");
	check(strcmp(before, shortened("xfs 2879488 %s Live 0xffffffffc0b00000\n", "1 -")) != 0,
	      "a module that was loaded again elsewhere differs", "it is the same");
	check_str("no module", shortened("%s", ""), "");
	check_str("a line cut short", shortened("xfs 2879488%s", ""), "xfs 2879488");
}

int main(void)
{
	test_users();
	test_changes();
	return check_finish();
}
