// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <string.h>

#include "plot.h"

#define WIDTH 760.0
#define HEIGHT 420.0
#define LEFT 78.0
#define RIGHT 24.0
#define TOP 56.0
#define BOTTOM 84.0

/* More labels than this do not fit side by side. */
#define FLAT_LABELS 12

/* Told apart by colour, dash and marker, so that print and colour-blind readers can. */
static const struct {
	const char *colour;
	const char *dash;
} style[] = {
	{ "#1f5fa8", "none" },
	{ "#c8590f", "8 4" },
	{ "#2c7a3f", "2 3" },
};

/* The same variant looks the same in every plot. */
static size_t style_of(const char *name)
{
	if (!strcmp(name, "normal") || !strcmp(name, "before"))
		return 0;
	if (!strcmp(name, "dontcache") || !strcmp(name, "after"))
		return 1;
	return 2;
}

struct scale {
	double x_max, y_max, y_step;
};

static double place_x(const struct plot *p, const struct scale *sc, double x)
{
	double room = WIDTH - LEFT - RIGHT;

	if (p->nr_labels)
		return LEFT + room * (x + 0.5) / (double)p->nr_labels;
	return LEFT + room * x / sc->x_max;
}

static double place_y(const struct scale *sc, double y)
{
	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / sc->y_max;
}

/* The least of 1, 2, 5 times a power of ten that is not below @v. */
static double nice(double v)
{
	double base = pow(10, floor(log10(v)));

	if (v <= base)
		return base;
	if (v <= 2 * base)
		return 2 * base;
	return v <= 5 * base ? 5 * base : 10 * base;
}

static void find_scale(const struct plot *p, struct scale *sc)
{
	double y = 0, x = 0;
	size_t i, k;

	for (i = 0; i < p->nr_series; i++) {
		for (k = 0; k < p->series[i].nr; k++) {
			y = fmax(y, p->series[i].y[k]);
			x = fmax(x, p->series[i].x[k]);
		}
	}
	sc->x_max = x > 0 ? x : 1;
	sc->y_step = nice((y > 0 ? y : 1) / 6);
	sc->y_max = sc->y_step * ceil((y > 0 ? y : 1) / sc->y_step);
}

static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		default: fputc(*text, f); break;
		}
	}
}

static void put_text(FILE *f, double x, double y, const char *anchor, const char *extra,
		     const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, extra);
	put_escaped(f, text);
	fprintf(f, "</text>\n");
}

static void put_number(FILE *f, double x, double y, const char *anchor, double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", v);
	put_text(f, x, y, anchor, "", text);
}

static void put_label(FILE *f, const struct plot *p, double x, size_t i)
{
	if (p->nr_labels <= FLAT_LABELS) {
		put_text(f, x, HEIGHT - BOTTOM + 18, "middle", "", p->labels[i]);
		return;
	}
	fprintf(f, "<g transform=\"translate(%.1f %.1f) rotate(-55)\">", x + 4,
		HEIGHT - BOTTOM + 14);
	put_text(f, 0, 0, "end", " font-size=\"11\"", p->labels[i]);
	fprintf(f, "</g>\n");
}

static void put_axes(FILE *f, const struct plot *p, const struct scale *sc)
{
	double y, step;
	size_t i;

	for (y = 0; y <= sc->y_max * 1.0001; y += sc->y_step) {
		fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
			"stroke=\"#d8d8d8\"/>\n", LEFT, WIDTH - RIGHT, place_y(sc, y),
			place_y(sc, y));
		put_number(f, LEFT - 8, place_y(sc, y) + 4, "end", y);
	}
	fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#444\"/>\n",
		LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
	for (i = 0; i < p->nr_labels; i++)
		put_label(f, p, place_x(p, sc, (double)i), i);
	if (!p->nr_labels) {
		step = nice(sc->x_max / 8);
		for (y = 0; y <= sc->x_max * 1.0001; y += step)
			put_number(f, place_x(p, sc, y), HEIGHT - BOTTOM + 18, "middle", y);
	}
	put_text(f, LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - BOTTOM + 40, "middle", "",
		 p->x_title);
	fprintf(f, "<g transform=\"translate(18 %.1f) rotate(-90)\">", TOP +
		(HEIGHT - TOP - BOTTOM) / 2);
	put_text(f, 0, 0, "middle", "", p->y_title);
	fprintf(f, "</g>\n");
}

static void put_marker(FILE *f, size_t kind, double x, double y)
{
	const char *c = style[kind].colour;

	if (kind == 0)
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x, y, c);
	else if (kind == 1)
		fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" fill=\"%s\"/>\n",
			x - 3.5, y - 3.5, c);
	else
		fprintf(f, "<path d=\"M%.1f %.1fl4 7h-8z\" fill=\"%s\"/>\n", x, y - 4, c);
}

static void put_series(FILE *f, const struct plot *p, const struct scale *sc, size_t i)
{
	const struct series *s = &p->series[i];
	const double legend_x = LEFT + 130.0 * (double)i;
	const size_t look = style_of(s->name);
	size_t k;

	fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
		"stroke-dasharray=\"%s\" points=\"", style[look].colour, style[look].dash);
	for (k = 0; k < s->nr; k++)
		fprintf(f, "%s%.1f,%.1f", k ? " " : "", place_x(p, sc, s->x[k]),
			place_y(sc, s->y[k]));
	fprintf(f, "\"/>\n");
	for (k = 0; k < s->nr && s->nr <= 64; k++)
		put_marker(f, look, place_x(p, sc, s->x[k]), place_y(sc, s->y[k]));
	fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"44\" y2=\"44\" stroke=\"%s\" "
		"stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n", legend_x, legend_x + 28,
		style[look].colour, style[look].dash);
	put_marker(f, look, legend_x + 14, 44);
	put_text(f, legend_x + 34, 48, "start", "", s->name);
}

int svg_write(const struct plot *p, FILE *f)
{
	struct scale sc;
	size_t i;

	find_scale(p, &sc);
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\" "
		"fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_text(f, LEFT, 24, "start", " font-size=\"15\" font-weight=\"bold\"", p->title);
	put_axes(f, p, &sc);
	for (i = 0; i < p->nr_series; i++)
		put_series(f, p, &sc, i);
	fprintf(f, "</svg>\n");
	return ferror(f) ? -EIO : 0;
}
