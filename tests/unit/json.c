// SPDX-License-Identifier: GPL-2.0
/* The ledger as JSON and back: nothing lost, nothing believed that cannot be. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "check.h"
#include "event.h"
#include "json.h"
#include "jsontake.h"
#include "synthetic.h"
#include "words.h"

static char *dump(const struct db_ledger *l)
{
	json_t *json = db_json_from_ledger(l);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

/* Of an initialised ledger; what it owns is freed. */
static bool round_trip(const struct db_ledger *l)
{
	json_t *json = db_json_from_ledger(l);
	struct db_ledger read;
	char *before = NULL, *after = NULL;
	bool equal = false;

	if (json && !db_json_to_ledger(json, &read)) {
		before = json_dumps(json, JSON_COMPACT);
		after = dump(&read);
		equal = before && after && !strcmp(before, after);
		db_ledger_free(&read);
	}
	json_decref(json);
	free(before);
	free(after);
	return equal;
}

static void test_round_trip(void)
{
	struct synthetic s;
	struct db_ledger empty, read;
	json_t *json;
	unsigned int seed, bad = 0, large = 0, inodes = 0;
	size_t i;

	db_ledger_init(&empty);
	check(round_trip(&empty), "an empty ledger comes back as it was", "it does not");
	for (seed = 1; seed <= 5; seed++) {
		synthetic_start(&s, seed);
		synthetic_step(&s, seed * 1000, seed * 2);
		bad += !round_trip(&s.ledger);
		synthetic_step(&s, seed * 1000, seed * 3);
		s.ledger.hists[0].sum += (unsigned __int128)seed << 70;
		synthetic_end(&s);
		bad += !round_trip(&s.ledger);
		s.ledger.run_stats = false;
		bad += !round_trip(&s.ledger);
		if (seed < 5)
			synthetic_free(&s);
	}
	check_uint("filled ledgers come back as they were", bad, 0);

	json = db_json_from_ledger(&s.ledger);
	check_int("read back", db_json_to_ledger(json, &read), 0);
	json_decref(json);
	check(!memcmp(&read.total, &s.ledger.total, sizeof(read.total)), "total", "differs");
	check(!memcmp(&read.orders, &s.ledger.orders, sizeof(read.orders)), "orders", "differ");
	check(!memcmp(read.hists, s.ledger.hists, sizeof(read.hists)), "histograms", "differ");
	check(!memcmp(&read.sweep, &s.ledger.sweep, sizeof(read.sweep)), "sweep", "differs");
	check(!memcmp(&read.truth, &s.ledger.truth, sizeof(read.truth)), "truth", "differs");
	check(!memcmp(read.losses, s.ledger.losses, sizeof(read.losses)), "losses", "differ");
	check_uint("points attached", read.points_attached, s.ledger.points_attached);
	for (i = 0; i < s.ledger.nflows; i++) {
		large += read.flows[i].ino > INT64_MAX;
		inodes += read.flows[i].ino == s.ledger.flows[i].ino;
	}
	check_uint("inode numbers", inodes, s.ledger.nflows);
	check(large, "some of them beyond 2^63", "none");
	db_ledger_free(&read);
	synthetic_free(&s);
}

/* What could not be measured is null, in JSON and when read back. */
static void test_unavailable(void)
{
	const json_t *live, *latencies, *names;
	struct synthetic s;
	struct db_ledger read;
	size_t i;
	json_t *json;
	bool named = false;

	synthetic_start(&s, 9);
	synthetic_step(&s, 1000, 3);
	synthetic_end(&s);
	memset(&s.ledger.hists[DB_HIST_WRITEBACK], 0, sizeof(s.ledger.hists[0]));
	memset(&s.ledger.sweep.left, 0, sizeof(s.ledger.sweep.left));
	for (i = 0; i < DB_OP_NR; i++)
		memset(&s.ledger.total.out[i][DB_OUT_LEFT_MAPPED], 0, sizeof(struct db_count));
	s.ledger.hists_unknown = 1ULL << DB_HIST_WRITEBACK;
	s.ledger.points_attached = 1ULL << DB_POINT_DROP_ATTEMPT;
	json = db_json_from_ledger(&s.ledger);
	latencies = json_object_get(json, "latencies");
	live = json_object_get(json_object_get(json, "live"), "left_behind");
	check(json_is_null(json_object_get(latencies, "writeback_ns")),
	      "a latency that nothing fills is null", "it is not");
	check(json_is_null(json_object_get(live, "left_mapped")),
	      "a reason that nothing tells is null", "it is not");
	check(json_is_object(json_object_get(live, "left_lock_busy")),
	      "a reason that could have been told is 0", "it is not a count");
	names = json_object_get(json, "unavailable_outcomes");
	for (i = 0; i < json_array_size(names); i++)
		named |= !strcmp(json_string_value(json_array_get(names, i)), "left_mapped");
	check(named, "its outcome is named", "it is not");
	check_int("read back", db_json_to_ledger(json, &read), 0);
	json_decref(json);
	check_uint("what is unknown is known to be so", read.hists_unknown,
		   1ULL << DB_HIST_WRITEBACK);
	db_ledger_free(&read);
	synthetic_free(&s);
}

static void test_large_numbers(void)
{
	static const __u64 values[] = { 0, 1, INT64_MAX, (__u64)INT64_MAX + 1, ULLONG_MAX };
	struct db_put p = {};
	json_t *all = db_put_start(&p), *value;
	struct db_take t = {};
	unsigned int i, bad = 0;
	char key[8];

	for (i = 0; i < 5; i++) {
		snprintf(key, sizeof(key), "%u", i);
		db_put_u64(&p, all, key, values[i]);
		bad += db_take_u64(&t, all, key, ULLONG_MAX) != values[i];
	}
	check_uint("numbers up to 2^64 - 1 come back", bad + !!t.err, 0);
	value = json_object_get(all, "4");
	check_str("above 2^63 - 1 as a string of digits", json_string_value(value),
		  "18446744073709551615");
	json_decref(db_put_end(&p, all));
}

static int take_one(json_t *value, __u64 max)
{
	struct db_take t = {};
	json_t *object = json_object();

	json_object_set_new(object, "n", value);
	db_take_u64(&t, object, "n", max);
	json_decref(object);
	return t.err;
}

static void test_bad_numbers(void)
{
	check_int("negative", take_one(json_integer(-1), ULLONG_MAX), -EPROTO);
	check_int("above its maximum", take_one(json_integer(256), 255), -EPROTO);
	check_int("at its maximum", take_one(json_integer(255), 255), 0);
	check_int("a fraction", take_one(json_real(1.0), ULLONG_MAX), -EPROTO);
	check_int("a small number as a string", take_one(json_string("12"), ULLONG_MAX), -EPROTO);
	check_int("2^64", take_one(json_string("18446744073709551616"), ULLONG_MAX), -EPROTO);
	check_int("far more digits",
		  take_one(json_string("99999999999999999999999999999999999999"), ULLONG_MAX), -EPROTO);
	check_int("leading zero", take_one(json_string("018446744073709551615"), ULLONG_MAX), -EPROTO);
	check_int("letters", take_one(json_string("9223372036854775808x"), ULLONG_MAX), -EPROTO);
	check_int("an empty string", take_one(json_string(""), ULLONG_MAX), -EPROTO);
	check_int("a string above its maximum",
		  take_one(json_string("9223372036854775808"), 1000), -EPROTO);
	check_int("nothing", take_one(NULL, ULLONG_MAX), -EPROTO);
}

static void test_text(void)
{
	struct db_put p = {};
	json_t *all = db_put_start(&p);
	struct db_take t = {};
	char *text, small[4];

	db_put_text(&p, all, "name", "a\xff\x01z");
	check_str("bytes that are no UTF-8 are shown as '?'",
		  json_string_value(json_object_get(all, "name")), "a?\x01z");
	text = db_take_new_text(&t, all, "name");
	check_str("and come back exactly", text, "a\xff\x01z");
	free(text);
	db_take_text(&t, all, "name", small, sizeof(small));
	check_int("text longer than its room is refused", t.err, -EPROTO);
	json_object_set_new(all, "name_hex", json_string("61g0"));
	t.err = 0;
	text = db_take_new_text(&t, all, "name");
	check(!text && t.err == -EPROTO, "hexadecimal with other letters is refused", "taken");
	json_object_set_new(all, "name_hex", json_string("6100"));
	t.err = 0;
	text = db_take_new_text(&t, all, "name");
	check(!text && t.err == -EPROTO, "a zero byte is refused", "taken");
	json_decref(db_put_end(&p, all));
}

/* What became of reading something that was tampered with. */
struct tally {
	unsigned long refused, equal, other, wrong;
};

static char *original;

static void read_tampered(const json_t *root, struct tally *tally)
{
	struct db_ledger read;
	char *after;
	int err = db_json_to_ledger(root, &read);

	if (err == -EPROTO) {
		tally->refused++;
		tally->wrong += read.nflows || read.ncontexts || read.npoints;
		return;
	}
	if (err) {
		tally->wrong++;
		return;
	}
	after = dump(&read);
	if (!after)
		tally->wrong++;
	else if (!strcmp(after, original))
		tally->equal++;
	else
		tally->other++;
	free(after);
	db_ledger_free(&read);
}

/* Each value in turn is taken away or replaced by each of these. */
static json_t *replacement(unsigned int kind)
{
	switch (kind) {
	case 0:
		return json_integer(-1);
	case 1:
		return json_integer(LLONG_MAX);
	case 2:
		return json_string("x");
	case 3:
		return json_null();
	case 4:
		return json_array();
	case 5:
		return json_object();
	case 6:
		return json_true();
	default:
		return json_string("18446744073709551615");
	}
}

#define KINDS	8

/* Two of the replacements per value, others at each. */
static void replace(json_t *root, json_t *at, const char *key, size_t i, struct tally *with)
{
	static unsigned int next;
	json_t *kept = json_incref(key ? json_object_get(at, key) : json_array_get(at, i));
	unsigned int n;

	for (n = 0; n < 2; n++, next += 3) {
		if (key)
			json_object_set_new(at, key, replacement(next % KINDS));
		else
			json_array_set_new(at, i, replacement(next % KINDS));
		read_tampered(root, with);
	}
	next++;
	if (key)
		json_object_set_new(at, key, kept);
	else
		json_array_set_new(at, i, kept);
}

#define KEYS_MAX	64

static void tamper(json_t *root, json_t *at, struct tally *with)
{
	const char *keys[KEYS_MAX], *key;
	size_t n = 0, i;
	json_t *value;

	for (i = 0; json_is_array(at) && i < json_array_size(at) && i < 2; i++) {
		replace(root, at, NULL, i, with);
		tamper(root, json_array_get(at, i), with);
	}
	json_object_foreach(at, key, value)
		if (n < KEYS_MAX)
			keys[n++] = key;
	for (i = 0; i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s", keys[i]);
		value = json_incref(json_object_get(at, name));
		replace(root, at, name, 0, with);
		tamper(root, value, with);
		json_decref(value);
	}
}

/* The same keys, each taken away once; the order of keys has no meaning. */
static void take_away(json_t *root, json_t *at, struct tally *without)
{
	char keys[KEYS_MAX][64];
	size_t n = 0, i;
	json_t *value;
	const char *key;

	for (i = 0; json_is_array(at) && i < json_array_size(at) && i < 2; i++)
		take_away(root, json_array_get(at, i), without);
	json_object_foreach(at, key, value)
		if (n < KEYS_MAX)
			snprintf(keys[n++], sizeof(keys[0]), "%s", key);
	for (i = 0; i < n; i++) {
		value = json_incref(json_object_get(at, keys[i]));
		json_object_del(at, keys[i]);
		read_tampered(root, without);
		json_object_set(at, keys[i], value);
		take_away(root, value, without);
		json_decref(value);
	}
}

static void test_tampering(void)
{
	struct tally without = {}, with = {};
	struct synthetic s;
	json_t *root;

	synthetic_start(&s, 3);
	synthetic_step(&s, 1000, 2);
	synthetic_end(&s);
	original = dump(&s.ledger);
	root = db_json_from_ledger(&s.ledger);
	tamper(root, root, &with);
	take_away(root, root, &without);
	printf("without a key: %lu refused, %lu read the same, %lu read otherwise\n", without.refused,
	       without.equal, without.other);
	printf("with a value replaced: %lu refused, %lu read the same, %lu read otherwise\n",
	       with.refused, with.equal, with.other);
	check_uint("nothing worse than a refusal", without.wrong + with.wrong, 0);
	check(without.refused > 200, "missing keys are refused", "%lu", without.refused);
	check(with.refused > 500, "wrong values are refused", "%lu", with.refused);
	json_decref(root);
	free(original);
	synthetic_free(&s);
}

static void test_rules(void)
{
	struct synthetic s;
	struct db_ledger read;
	json_t *root, *pair;

	synthetic_start(&s, 4);
	synthetic_step(&s, 1000, 5);
	synthetic_histogram(&s, &s.ledger.hists[0], 10);
	root = db_json_from_ledger(&s.ledger);
	json_object_set_new(root, "version", json_integer(DB_JSON_VERSION + 1));
	check_int("another version is refused", db_json_to_ledger(root, &read), -EPROTO);
	json_object_set_new(root, "version", json_integer(DB_JSON_VERSION));
	json_object_set_new(root, "something_new", json_true());
	check_int("unknown keys are passed over", db_json_to_ledger(root, &read), 0);
	db_ledger_free(&read);
	json_object_set_new(json_array_get(json_object_get(root, "flows"), 2), "slot",
			    json_integer(0));
	check_int("flows out of order are refused", db_json_to_ledger(root, &read), -EPROTO);
	json_decref(root);
	root = db_json_from_ledger(&s.ledger);
	pair = json_array_get(json_object_get(json_object_get(json_object_get(root, "latencies"),
							      db_hist_key(0)), "buckets"), 0);
	json_array_set_new(pair, 1, json_integer(json_integer_value(json_array_get(pair, 1)) + 1));
	check_int("buckets that do not add up are refused", db_json_to_ledger(root, &read), -EPROTO);
	json_decref(root);
	root = db_json_from_ledger(&s.ledger);
	json_object_set_new(json_object_get(json_object_get(json_object_get(root, "total"),
							    "outcomes"), "write"), "eaten",
			    json_object());
	check_int("an unknown outcome is refused", db_json_to_ledger(root, &read), -EPROTO);
	json_decref(root);
	check_int("no object at all", db_json_to_ledger(NULL, &read), -EPROTO);
	synthetic_free(&s);
}

/* jansson's memory gives out at the n-th request. */
static long requests_left;

static void *scarce(size_t size)
{
	return requests_left-- > 0 ? malloc(size) : NULL;
}

static void test_memory(void)
{
	struct synthetic s;
	unsigned long n, failures = 0;
	json_t *json;

	synthetic_start(&s, 5);
	synthetic_step(&s, 1000, 4);
	json_set_alloc_funcs(scarce, free);
	for (n = 0;; n += 1 + n / 64) {
		requests_left = n;
		json = db_json_from_ledger(&s.ledger);
		if (json)
			break;
		failures++;
	}
	requests_left = LONG_MAX;
	json_decref(json);
	json_set_alloc_funcs(malloc, free);
	check(failures > 200, "out of memory at any step gives NULL", "only %lu failures", failures);
	synthetic_free(&s);
}

static void test_events(void)
{
	struct db_event event, back;
	struct db_put p = {};
	json_t *all = db_put_start(&p), *list = db_put_array(&p, all, "events");
	struct synthetic s;
	unsigned int i, bad = 0;

	synthetic_start(&s, 6);
	for (i = 0; i < 200; i++) {
		synthetic_event(&s, &event);
		db_event_put(&p, list, &event);
		bad += db_event_take(json_array_get(list, i), &back) ||
		       memcmp(&event, &back, sizeof(event));
	}
	check_uint("events come back as they were", bad, 0);
	json_object_set_new(json_array_get(list, 0), "type", json_string("birth"));
	check_int("an unknown type is refused", db_event_take(json_array_get(list, 0), &back), -EPROTO);
	json_object_set_new(json_array_get(list, 1), "cpu", json_integer(1LL << 32));
	check_int("a number too large is refused", db_event_take(json_array_get(list, 1), &back),
		  -EPROTO);
	check_int("no object", db_event_take(NULL, &back), -EPROTO);
	json_decref(db_put_end(&p, all));
	synthetic_free(&s);
}

int main(void)
{
	test_round_trip();
	test_unavailable();
	test_large_numbers();
	test_bad_numbers();
	test_text();
	test_tampering();
	test_rules();
	test_memory();
	test_events();
	return check_finish();
}
