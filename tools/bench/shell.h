/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SHELL_H
#define BENCH_SHELL_H

/*
 * Run a command of the user's through sh -c and wait for its end. It has a
 * process group of its own, away from the terminal, from which it cannot read.
 * When we are asked to stop, the whole group is ended; when we are killed, its
 * shell is. 0 if the command succeeded, -EINTR when stopped, else a negative
 * errno (told).
 */
int shell_run(const char *cmd);

#endif
