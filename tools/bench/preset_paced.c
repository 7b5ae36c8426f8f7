// SPDX-License-Identifier: GPL-2.0
/*
 * Preset paced: writes at fixed rates. The schedule is open-loop: each write
 * has a due time that does not move when an earlier one was slow.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "err.h"
#include "measure.h"
#include "units.h"

/* A load that cannot keep its rate is ended after twice its time and a bit. */
#define PATIENCE_S 5.0

struct plan {
	uint64_t rates[OPT_MAX_LIST];
	size_t nr_rates;
	uint64_t io_bytes;
	uint64_t span_bytes;
	double duration_s;
	unsigned int rounds;
};

static int make_plan(struct session *s, struct plan *p)
{
	static const uint64_t usual[] = { 64 * MIB, 128 * MIB, 256 * MIB };
	uint64_t greatest = 0, total;
	size_t i;
	int err;

	p->nr_rates = s->opt.nr_rates ? s->opt.nr_rates : 3;
	for (i = 0; i < p->nr_rates; i++) {
		p->rates[i] = s->opt.nr_rates ? s->opt.rates[i] : usual[i];
		greatest = p->rates[i] > greatest ? p->rates[i] : greatest;
	}
	p->io_bytes = session_bytes(s, "io_size", s->opt.nr_io_sizes ? s->opt.io_sizes[0] : 0,
				    64 * KIB, 64 * KIB);
	p->duration_s = session_seconds(s, "duration_s", s->opt.duration_s, 120, 0.5);
	p->rounds = session_count(s, "rounds", s->opt.rounds, 1, 1);
	p->span_bytes = session_bytes(s, "size", s->opt.size_bytes, 4 * GIB, 64 * MIB);
	total = (uint64_t)((double)greatest * p->duration_s);
	if (total > p->span_bytes)
		result_note(&s->res, "the file is overwritten from its start each time %" PRIu64
			    " MiB are full (--size)", p->span_bytes / MIB);
	else
		p->span_bytes = total > p->io_bytes ? total : p->io_bytes;
	err = session_check_io(&p->io_bytes, 1, p->span_bytes);
	if (err)
		return err;
	progress_init(&s->prog, s->opt.progress, (unsigned int)p->nr_rates * p->rounds * 2);
	return place_check_space(&s->place, p->span_bytes);
}

static int store(struct session *s, struct run *run, struct stream *st, uint64_t rate)
{
	const uint64_t schedule_ns = stream_schedule_ns(st);
	const uint64_t unissued = stream_count_unissued(st);
	uint64_t took_ns = st->end_ns - st->begin_ns;
	double overrun_ms = took_ns > schedule_ns ? (double)(took_ns - schedule_ns) / 1e6 : 0;
	uint64_t over_ns = took_ns > schedule_ns ? took_ns : schedule_ns;
	int err;

	err = run_metric(run, "rate_mib_s", (double)rate / (double)MIB);
	/* The last write may end before its period does: the schedule is the least time. */
	err = err ? err : run_metric(run, "achieved_mib_s", (double)st->done_bytes /
				     (double)MIB / ((double)over_ns / 1e9));
	/* What was never issued is late as well. */
	err = err ? err : run_metric(run, "late_pct", (double)(st->late_ops + unissued) * 100 /
				     (double)st->max_ops);
	err = err ? err : run_metric(run, "max_lag_ms", (double)st->lag->max_ns / 1e6);
	err = err ? err : run_metric(run, "overrun_ms", overrun_ms);
	err = err ? err : run_metric(run, "unissued_ops", (double)unissued);
	err = err ? err : run_metric(run, "latency_p50_ms",
				     hist_percentile_ns(st->latency, 50) / 1e6);
	err = err ? err : run_metric(run, "latency_p99_ms",
				     hist_percentile_ns(st->latency, 99) / 1e6);
	err = err ? err : run_metric(run, "latency_max_ms", (double)st->latency->max_ns / 1e6);
	if (!err && unissued)
		err = result_note(&s->res, "%" PRIu64 " MiB/s could not be held in some run: it "
				  "was ended before its schedule was done (see unissued)",
				  rate / MIB);
	return err;
}

static int one_run(struct session *s, const struct plan *p, uint64_t rate,
		   const struct variant *v, unsigned int round)
{
	struct hist *hists = calloc(2, sizeof(*hists));
	struct measured m = { NULL, v->name, round, NULL };
	struct byte_counter counter;
	struct stream st;
	struct bfile f = { .fd = -1 };
	struct run *run;
	char group[64];
	int err;

	if (!hists)
		return bench_fail(-ENOMEM, "count", "latencies");
	snprintf(group, sizeof(group), "paced|%g", (double)rate / (double)MIB);
	m.group = group;
	hist_init(&hists[0]);
	hist_init(&hists[1]);
	err = bfile_make(&f, &s->place, 0, 0);
	if (!err)
		err = session_rest(s, &f, 1);
	if (err)
		goto out;
	measure_prepare(&st, &counter, &f, true, v->rwf_flags, p->io_bytes, p->span_bytes);
	st.total_bytes = 0;
	st.rate_bytes_s = rate;
	st.max_ops = (uint64_t)((double)rate * p->duration_s / (double)p->io_bytes);
	st.max_ops = st.max_ops ? st.max_ops : 1;
	st.limit_ns = (uint64_t)((2 * p->duration_s + PATIENCE_S) * 1e9);
	st.lag = &hists[0];
	st.latency = &hists[1];
	err = measure_streams(s, &st, &f, 1, &m, &run);
	if (!err && store(s, run, &st, rate))
		err = bench_fail(-ENOMEM, "keep a run of", group);
out:
	bfile_remove(&f);
	free(hists);
	return err;
}

static int run_paced(struct session *s)
{
	unsigned int round;
	struct plan p;
	size_t i, j;
	int err = make_plan(s, &p);

	for (round = 1; !err && round <= p.rounds; round++)
		for (i = 0; !err && i < p.nr_rates; i++)
			for (j = 0; !err && j < NR_IO_VARIANTS; j++)
				err = one_run(s, &p, p.rates[i],
					      &io_variants[round % 2 ? j : 1 - j], round);
	return err;
}

const struct preset preset_paced = {
	.name = "paced",
	.summary = "writes at fixed rates: is the rate held, how late do writes start",
	.dontcache = true,
	.takes = TAKES_SIZE | TAKES_IO_SIZE | TAKES_RATES | TAKES_ROUNDS | TAKES_DURATION,
	.run = run_paced,
};
