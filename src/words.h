/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of the vocabulary: for people (spaces) and as keys in JSON
 * (underscores).  All return static strings and accept any number.
 */
#ifndef DROPBEHIND_WORDS_H
#define DROPBEHIND_WORDS_H

#include "ledger.h"

const char *db_op_word(unsigned int op);
const char *db_outcome_word(unsigned int outcome);	/* "left behind: not in task" */
const char *db_outcome_key(unsigned int outcome);	/* "left_not_in_task" */
const char *db_reason_word(unsigned int outcome);	/* "not in task" */
const char *db_fate_word(unsigned int fate);
const char *db_fate_key(unsigned int fate);
const char *db_pending_word(unsigned int pending);
const char *db_pending_key(unsigned int pending);
const char *db_context_word(unsigned int context);
const char *db_context_key(unsigned int context);
const char *db_runner_word(unsigned int runner);
const char *db_runner_key(unsigned int runner);
const char *db_place_word(unsigned int place);
const char *db_place_key(unsigned int place);
const char *db_mechanism_word(unsigned int mechanism);
const char *db_mechanism_key(unsigned int mechanism);
const char *db_hist_word(unsigned int hist);
const char *db_hist_key(unsigned int hist);
const char *db_attach_word(unsigned int how);
const char *db_point_word(unsigned int point);
const char *db_loss_word(unsigned int loss);
const char *db_loss_key(unsigned int loss);
const char *db_found_word(unsigned int found);
const char *db_verdict_word(unsigned int verdict);

/* Number of the key, or -1: the inverse of the *_key() functions above. */
int db_word_number(const char *(*key)(unsigned int), unsigned int n, const char *word);

#endif
