// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "view_ledger.h"

/* A row "@what" with a printed value. Names come from JSON: underscores become blanks. */
static int row(struct table *t, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int row(struct table *t, const char *what, const char *fmt, ...)
{
	int n = table_add_row(t, "");
	struct cell *cells;
	va_list ap;
	char *p;

	if (n < 0)
		return n;
	cells = t->rows[n].cells;
	snprintf(cells[0].text, sizeof(cells[0].text), "%s", what);
	for (p = cells[0].text; *p; p++)
		if (*p == '_')
			*p = ' ';
	va_start(ap, fmt);
	vsnprintf(cells[1].text, sizeof(cells[1].text), fmt, ap);
	va_end(ap);
	return 0;
}

/* What the tracer could not count is null, or not there at all: never a zero. */
static int number_row(struct table *t, const char *what, json_t *value, const char *unit)
{
	if (!json_is_integer(value))
		return row(t, what, "unavailable");
	return row(t, what, "%lld%s", (long long)json_integer_value(value), unit);
}

/* A row for each entry of @o that has pages, or whose pages are not known. */
static int pages_rows(struct table *t, json_t *o, const char *prefix)
{
	const char *name;
	char what[96];
	json_t *value;
	int err = 0;

	json_object_foreach(o, name, value) {
		json_t *pages = json_object_get(value, "pages");

		if (err || (json_is_integer(pages) && !json_integer_value(pages)))
			continue;
		snprintf(what, sizeof(what), "%s%s", prefix, name);
		err = number_row(t, what, pages, " pages");
	}
	return err;
}

static int outcome_rows(struct table *t, json_t *total)
{
	const char *op;
	json_t *value;
	char prefix[64];
	int err = pages_rows(t, json_object_get(total, "births"), "births, ");

	json_object_foreach(json_object_get(total, "outcomes"), op, value) {
		snprintf(prefix, sizeof(prefix), "%.40s: ", op);
		err = err ? err : pages_rows(t, value, prefix);
	}
	return err ? err : pages_rows(t, json_object_get(total, "fates"), "later, ");
}

static int balance_rows(struct table *t, json_t *balance)
{
	const char *verdict = json_string_value(json_object_get(balance, "verdict"));
	int err;

	err = number_row(t, "balance: births", json_object_get(balance, "births_pages"),
			 " pages");
	err = err ? err : number_row(t, "balance: outcomes",
				     json_object_get(balance, "outcomes_pages"), " pages");
	err = err ? err : number_row(t, "balance: still pending",
				     json_object_get(balance, "pending_pages"), " pages");
	return err ? err : row(t, "balance: verdict", "%s", verdict ? verdict : "unavailable");
}

static int context_rows(struct table *t, json_t *contexts)
{
	json_t *c;
	size_t i;
	int err = 0;

	json_array_foreach(contexts, i, c) {
		const char *place = json_string_value(json_object_get(c, "place"));
		const char *context = json_string_value(json_object_get(c, "context"));
		const char *runner = json_string_value(json_object_get(c, "runner"));
		const char *wq = json_string_value(json_object_get(c, "workqueue"));
		char what[96], unit[48];

		snprintf(unit, sizeof(unit), " (%.40s)", place ? place : "?");
		snprintf(what, sizeof(what), "completed in %.30s, %.20s", context ? context : "?",
			 wq ? wq : runner ? runner : "?");
		err = err ? err : number_row(t, what, json_object_get(c, "events"), unit);
	}
	return err;
}

/* The tracer's histograms carry their unit in the name; a queue depth has none. */
static int latency_rows(struct table *t, json_t *latencies)
{
	const char *name;
	char what[96];
	json_t *value;
	int err = 0;

	json_object_foreach(latencies, name, value) {
		json_t *count = json_object_get(value, "count");
		json_t *p99 = json_object_get(value, "p99");
		size_t len = strlen(name);
		bool is_ns = len > 3 && !strcmp(name + len - 3, "_ns");

		if (err || (json_is_integer(count) && !json_integer_value(count)))
			continue;
		snprintf(what, sizeof(what), "%.*s p99", (int)(is_ns ? len - 3 : len), name);
		if (!json_is_number(p99))
			err = row(t, what, "unavailable");
		else if (is_ns)
			err = row(t, what, "%.1f us", json_number_value(p99) / 1e3);
		else
			err = row(t, what, "%.0f", json_number_value(p99));
	}
	return err;
}

/* Probe points that were wanted and could not be had: their numbers are missing. */
static int completeness_note(struct table *t, json_t *completeness)
{
	char list[256] = "";
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(completeness, "points"), i, p) {
		const char *how = json_string_value(json_object_get(p, "attached"));
		const char *name = json_string_value(json_object_get(p, "point"));
		size_t used = strlen(list);

		if (json_is_true(json_object_get(p, "wanted")) && how && !strcmp(how, "none"))
			snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
				 name ? name : "?");
	}
	return *list ? table_add_note(t, "the tracer could not watch: %s; what needs them is "
				      "unavailable", list) : 0;
}

int view_ledger(const struct result *r, struct table_list *l)
{
	json_t *ledger = r->ledger ? json_loads(r->ledger, 0, NULL) : NULL;
	struct table *t;
	int err;

	if (!ledger)
		return 0;
	t = tables_add(l, "ledger", "What dropbehind saw of all runs together (dropbehind folios only)");
	err = t ? table_add_column(t, "what", "What", 0) : -ENOMEM;
	if (err >= 0)
		err = table_add_column(t, "value", "Value", 0);
	if (err < 0)
		goto out;
	t->nr_keys = 1;
	t->cols[0].is_text = t->cols[1].is_text = true;
	err = outcome_rows(t, json_object_get(ledger, "total"));
	err = err ? err : balance_rows(t, json_object_get(ledger, "balance"));
	err = err ? err : context_rows(t, json_object_get(ledger, "contexts"));
	err = err ? err : latency_rows(t, json_object_get(ledger, "latencies"));
	err = err ? err : completeness_note(t, json_object_get(ledger, "completeness"));
out:
	json_decref(ledger);
	return err < 0 ? err : 0;
}
