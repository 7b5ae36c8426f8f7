/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about the running kernel that are not measurements. */
#ifndef DROPBEHIND_KERNEL_H
#define DROPBEHIND_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct btf;

struct db_kernel {
	char release[128];	/* uname -r */
	char machine[65];
	struct btf *btf;	/* of vmlinux; owned */
	struct db_symbol *symbols;	/* function symbols; owned, may be empty */
	size_t nsymbols;
	char *symbol_text;		/* what their names point into; owned */
	char *modules;			/* those loaded when the symbols were read; owned */
	struct db_module_btf *module_btfs;	/* those asked for so far; owned list */
};

struct db_module_btf;

struct db_symbol {
	const char *name;
	__u64 address;		/* 0 when the kernel hides addresses */
	bool module;		/* belongs to a module */
};

/*
 * Reads BTF and the symbol table.  0; -ENODATA: no BTF; -ENOMEM.  Symbols that
 * cannot be read leave an empty table, no error.
 */
int db_kernel_open(struct db_kernel *kernel);
void db_kernel_close(struct db_kernel *kernel);

/* Reads the symbol table again.  0 or -ENOMEM. */
int db_kernel_read_symbols(struct db_kernel *kernel);

/*
 * The same if modules came or went since.  1: it was read again; 0: no need;
 * -ENOMEM.
 */
int db_kernel_refresh(struct db_kernel *kernel);

/*
 * Address of a function by its exact name.  0: not there, or addresses are
 * hidden.  Of several (static functions of one name), any.
 */
__u64 db_kernel_address(const struct db_kernel *kernel, const char *name);

/* True if the symbol table has the name; when it is empty, true for names in BTF. */
bool db_kernel_has_symbol(const struct db_kernel *kernel, const char *name);

/* A symbol "NAME.suffix" (.isra.0, .constprop.0, .cold ...) or NULL. */
const char *db_kernel_renamed(const struct db_kernel *kernel, const char *name);

/*
 * Is the function in vmlinux's BTF, or in that of the module @module (NULL:
 * none) if it is loaded?
 */
bool db_kernel_btf_function(struct db_kernel *kernel, const char *name, const char *module);

/* Does vmlinux's BTF know the per-CPU (or other) variable? */
bool db_kernel_btf_variable(const struct db_kernel *kernel, const char *name);

/*
 * Bytes from one per-CPU variable to another, by vmlinux's BTF.  0 or -ENOENT:
 * it does not know both.
 */
int db_kernel_percpu_delta(const struct db_kernel *kernel, const char *from, const char *to,
			   __s64 *delta);

/* Does vmlinux's BTF know the type name?  Tracepoint NAME has a typedef btf_trace_NAME. */
bool db_kernel_btf_typedef(const struct db_kernel *kernel, const char *name);

/* Value of an enumerator wherever it is declared; false if no enumeration has it. */
bool db_kernel_enumerator(const struct db_kernel *kernel, const char *name, __u64 *value);

/*
 * Bytes from the start of a structure to its member (at its top level or in
 * anonymous ones), in vmlinux's BTF or that of the module @module (NULL: none)
 * if it is loaded.  -ENOENT: unknown, or a bit field.
 */
int db_kernel_member_offset(struct db_kernel *kernel, const char *structure, const char *member,
			    const char *module);

/* Does the structure have the member (at its top level or in anonymous ones)? */
bool db_kernel_member(const struct db_kernel *kernel, const char *structure, const char *member);

#endif
