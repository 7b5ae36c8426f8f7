// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "model_json.h"
#include "outfile.h"

#define FORMAT_NAME "dontcache-bench-result"
#define FORMAT_VERSION 1

static json_t *facts_to_json(const struct fact *facts, size_t nr)
{
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < nr; i++)
		json_object_set_new(o, facts[i].name, json_string(facts[i].text));
	return o;
}

/* JSON has no NAN: an unavailable value is null. */
static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *run_to_json(const struct run *run)
{
	json_t *o = json_object(), *metrics = json_object(), *samples = json_array();
	size_t i;
	int f;

	json_object_set_new(o, "group", json_string(run->group));
	json_object_set_new(o, "variant", json_string(run->variant));
	json_object_set_new(o, "round", json_integer(run->round));
	for (i = 0; i < run->nr_metrics; i++)
		json_object_set_new(metrics, run->metrics[i].name, number(run->metrics[i].value));
	json_object_set_new(o, "metrics", metrics);
	for (i = 0; i < run->nr_samples; i++) {
		json_t *row = json_array();

		for (f = 0; f < SAMPLE_FIELDS; f++)
			json_array_append_new(row, number(run->samples[i].v[f]));
		json_array_append_new(samples, row);
	}
	json_object_set_new(o, "samples", samples);
	return o;
}

static json_t *to_json(const struct result *r)
{
	json_t *o = json_object(), *runs = json_array(), *notes = json_array();
	json_t *fields = json_array();
	size_t i;

	json_object_set_new(o, "format", json_string(FORMAT_NAME));
	json_object_set_new(o, "version", json_integer(FORMAT_VERSION));
	json_object_set_new(o, "preset", json_string(r->preset));
	json_object_set_new(o, "label", json_string(r->label));
	json_object_set_new(o, "environment", facts_to_json(r->env, r->nr_env));
	json_object_set_new(o, "settings", facts_to_json(r->settings, r->nr_settings));
	for (i = 0; i < r->nr_notes; i++)
		json_array_append_new(notes, json_string(r->notes[i]));
	json_object_set_new(o, "notes", notes);
	for (i = 0; i < SAMPLE_FIELDS; i++)
		json_array_append_new(fields, json_string(sample_names[i]));
	json_object_set_new(o, "sample_fields", fields);
	for (i = 0; i < r->nr_runs; i++)
		json_array_append_new(runs, run_to_json(&r->runs[i]));
	json_object_set_new(o, "runs", runs);
	json_object_set_new(o, "ledger",
			    r->ledger ? json_loads(r->ledger, 0, NULL) : json_null());
	return o;
}

int result_save_json(const struct result *r, const char *path, bool force)
{
	json_t *o = to_json(r);
	FILE *f = NULL;
	int err = 0;

	if (!o)
		return bench_fail(-ENOMEM, "write", path);
	f = outfile_open(path, force, &err);
	if (f) {
		if (json_dumpf(o, f, JSON_INDENT(1) | JSON_REAL_PRECISION(10)) ||
		    fputc('\n', f) == EOF)
			err = bench_fail(-EIO, "write", path);
		err = outfile_close(f, path, err);
	}
	json_decref(o);
	return err;
}

static int load_facts(struct result *r, json_t *o,
		      int (*add)(struct result *r, const char *name, const char *text))
{
	const char *name;
	json_t *value;

	if (!json_is_object(o))
		return -EINVAL;
	json_object_foreach(o, name, value) {
		if (!json_is_string(value))
			return -EINVAL;
		if (add(r, name, json_string_value(value)))
			return -ENOMEM;
	}
	return 0;
}

/* Which field of ours each column of the file holds; -1 for one we do not know. */
static int load_fields(json_t *fields, int *map, size_t max)
{
	size_t i;
	int f;

	if (!json_is_array(fields) || json_array_size(fields) > max)
		return -EINVAL;
	for (i = 0; i < json_array_size(fields); i++) {
		const char *name = json_string_value(json_array_get(fields, i));

		map[i] = -1;
		for (f = 0; name && f < SAMPLE_FIELDS; f++)
			if (!strcmp(name, sample_names[f]))
				map[i] = f;
	}
	return 0;
}

static int load_run(struct result *r, json_t *o, const int *map, size_t nr_fields)
{
	const char *group = json_string_value(json_object_get(o, "group"));
	const char *variant = json_string_value(json_object_get(o, "variant"));
	json_t *metrics = json_object_get(o, "metrics"), *value, *row;
	json_int_t round = json_integer_value(json_object_get(o, "round"));
	struct sample s;
	struct run *run;
	const char *name;
	size_t i, c;

	if (!group || !variant || round < 1 || round > 10000 || !json_is_object(metrics))
		return -EINVAL;
	run = result_run(r, group, variant, (unsigned int)round);
	if (!run)
		return -ENOMEM;
	json_object_foreach(metrics, name, value)
		if (json_is_number(value) && run_metric(run, name, json_number_value(value)))
			return -ENOMEM;
	json_array_foreach(json_object_get(o, "samples"), i, row) {
		for (c = 0; c < SAMPLE_FIELDS; c++)
			s.v[c] = NAN;
		json_array_foreach(row, c, value)
			if (c < nr_fields && map[c] >= 0 && json_is_number(value))
				s.v[map[c]] = json_number_value(value);
		if (run_sample(run, &s))
			return -ENOMEM;
	}
	return 0;
}

static int from_json(struct result *r, json_t *o)
{
	const char *format = json_string_value(json_object_get(o, "format"));
	const char *preset = json_string_value(json_object_get(o, "preset"));
	const char *label = json_string_value(json_object_get(o, "label"));
	json_t *ledger = json_object_get(o, "ledger"), *item;
	int map[2 * SAMPLE_FIELDS];
	size_t i, nr_fields;
	int err;

	if (!format || strcmp(format, FORMAT_NAME) || !preset ||
	    json_integer_value(json_object_get(o, "version")) != FORMAT_VERSION)
		return -EINVAL;
	snprintf(r->preset, sizeof(r->preset), "%s", preset);
	snprintf(r->label, sizeof(r->label), "%s", label ? label : "");
	err = load_facts(r, json_object_get(o, "environment"), result_env);
	if (!err)
		err = load_facts(r, json_object_get(o, "settings"), result_setting);
	if (!err)
		err = load_fields(json_object_get(o, "sample_fields"), map, 2 * SAMPLE_FIELDS);
	if (err)
		return err;
	nr_fields = json_array_size(json_object_get(o, "sample_fields"));
	json_array_foreach(json_object_get(o, "notes"), i, item)
		if (json_is_string(item) && result_note(r, "%s", json_string_value(item)))
			return -ENOMEM;
	json_array_foreach(json_object_get(o, "runs"), i, item) {
		err = load_run(r, item, map, nr_fields);
		if (err)
			return err;
	}
	if (json_is_object(ledger)) {
		r->ledger = json_dumps(ledger, JSON_COMPACT);
		if (!r->ledger)
			return -ENOMEM;
	}
	return 0;
}

int result_load_json(struct result *r, const char *path)
{
	json_error_t error;
	json_t *o;
	int err;

	memset(r, 0, sizeof(*r));
	if (access(path, R_OK))
		return bench_fail(-errno, "read", path);
	o = json_load_file(path, 0, &error);
	if (!o)
		return bench_error("%s: line %d: %s; give a file that --json wrote", path,
				   error.line, error.text);
	err = from_json(r, o);
	json_decref(o);
	if (err) {
		result_free(r);
		if (err == -EINVAL)
			return bench_error("%s: not a %s of version %d; give a file that --json wrote",
					   path, FORMAT_NAME, FORMAT_VERSION);
		return bench_fail(err, "read", path);
	}
	return 0;
}
