// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "units.h"

/* Without a terminal a line every so often is enough. */
#define LINE_EVERY_NS (10 * NSEC_PER_SEC)

void progress_init(struct progress *p, int when, unsigned int total_runs)
{
	memset(p, 0, sizeof(*p));
	p->terminal = isatty(STDERR_FILENO) == 1;
	p->on = when > 0 || (!when && p->terminal);
	p->total = total_runs;
	p->begin_ns = now_ns();
}

static void time_left(const struct progress *p, char *buf, size_t size)
{
	uint64_t left;

	if (!p->done) {
		snprintf(buf, size, "time left: not known yet");
		return;
	}
	left = (now_ns() - p->begin_ns) / p->done * (p->total - p->done) / NSEC_PER_SEC;
	if (left >= 3600)
		snprintf(buf, size, "about %lluh%02llum left", (unsigned long long)left / 3600,
			 (unsigned long long)left / 60 % 60);
	else
		snprintf(buf, size, "about %llum%02llus left", (unsigned long long)left / 60,
			 (unsigned long long)left % 60);
}

static void show(struct progress *p, const char *line)
{
	size_t n = strlen(line);

	if (!p->terminal) {
		fprintf(stderr, "%s\n", line);
		return;
	}
	fprintf(stderr, "\r%s%*s", line, p->width > n ? (int)(p->width - n) : 0, "");
	p->width = n;
}

/* May a line be shown now? A terminal takes them as they come, a file now and then. */
static bool due(struct progress *p)
{
	uint64_t now = now_ns();

	if (!p->on || (!p->terminal && p->last_ns && now - p->last_ns < LINE_EVERY_NS))
		return false;
	p->last_ns = now;
	return true;
}

void progress_run(struct progress *p, const char *group, const char *variant,
		  unsigned int round)
{
	char line[288], left[64], key[64];
	size_t i;

	snprintf(key, sizeof(key), "%s", group);
	for (i = 0; key[i]; i++)
		if (key[i] == '|')
			key[i] = ' ';
	snprintf(p->what, sizeof(p->what), "run %u of %u: %s, %s, round %u", p->done + 1,
		 p->total, key, variant, round);
	if (!due(p))
		return;
	time_left(p, left, sizeof(left));
	snprintf(line, sizeof(line), "%s; %s", p->what, left);
	show(p, line);
}

void progress_tick(struct progress *p, double mb_s)
{
	char line[320], left[64], speed[32] = "";

	if (!due(p))
		return;
	time_left(p, left, sizeof(left));
	if (!isnan(mb_s))
		snprintf(speed, sizeof(speed), ", %.0f MB/s", mb_s);
	snprintf(line, sizeof(line), "%s%s; %s", p->what, speed, left);
	show(p, line);
}

void progress_done(struct progress *p)
{
	p->done++;
}

void progress_end(struct progress *p)
{
	if (p->on && p->terminal && p->width)
		fprintf(stderr, "\r%*s\r", (int)p->width, "");
	p->width = 0;
}
