// SPDX-License-Identifier: GPL-2.0
#include "kernel.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static int by_name(const void *a, const void *b)
{
	const struct db_symbol *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void free_symbols(struct db_kernel *kernel)
{
	size_t i;

	for (i = 0; i < kernel->nsymbols; i++)
		free(kernel->symbols[i].name);
	free(kernel->symbols);
	kernel->symbols = NULL;
	kernel->nsymbols = 0;
}

int db_kernel_read_symbols(struct db_kernel *kernel)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type, module[64];
	unsigned long long address;
	struct db_symbol *bigger;
	size_t room = 0;
	int err = 0, n;

	free_symbols(kernel);
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		n = sscanf(line, "%llx %c %255s [%63[^]]]", &address, &type, name, module);
		if (n < 3 || !strchr("tTwW", type))
			continue;
		if (kernel->nsymbols == room) {
			room = room ? 2 * room : 65536;
			bigger = realloc(kernel->symbols, room * sizeof(*bigger));
			if (!bigger) {
				err = -ENOMEM;
				break;
			}
			kernel->symbols = bigger;
		}
		kernel->symbols[kernel->nsymbols].name = strdup(name);
		if (!kernel->symbols[kernel->nsymbols].name) {
			err = -ENOMEM;
			break;
		}
		kernel->symbols[kernel->nsymbols].address = address;
		kernel->symbols[kernel->nsymbols++].module = n == 4;
	}
	fclose(f);
	if (kernel->nsymbols)
		qsort(kernel->symbols, kernel->nsymbols, sizeof(*kernel->symbols), by_name);
	return err;
}

int db_kernel_open(struct db_kernel *kernel)
{
	struct utsname uts;

	memset(kernel, 0, sizeof(*kernel));
	if (!uname(&uts)) {
		snprintf(kernel->release, sizeof(kernel->release), "%s", uts.release);
		snprintf(kernel->machine, sizeof(kernel->machine), "%s", uts.machine);
	}
	kernel->btf = btf__load_vmlinux_btf();
	if (!kernel->btf)
		return -ENODATA;
	return db_kernel_read_symbols(kernel);
}

void db_kernel_close(struct db_kernel *kernel)
{
	free_symbols(kernel);
	btf__free(kernel->btf);
	kernel->btf = NULL;
}

static const struct db_symbol *find_symbol(const struct db_kernel *kernel, const char *name)
{
	struct db_symbol key = { .name = (char *)name };

	if (!kernel->nsymbols)
		return NULL;
	return bsearch(&key, kernel->symbols, kernel->nsymbols, sizeof(key), by_name);
}

__u64 db_kernel_address(const struct db_kernel *kernel, const char *name)
{
	const struct db_symbol *symbol = find_symbol(kernel, name);

	return symbol ? symbol->address : 0;
}

bool db_kernel_has_symbol(const struct db_kernel *kernel, const char *name)
{
	if (!kernel->nsymbols)
		return db_kernel_btf_function(kernel, name, NULL, 0);
	return find_symbol(kernel, name);
}

const char *db_kernel_renamed(const struct db_kernel *kernel, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < kernel->nsymbols; i++)
		if (!strncmp(kernel->symbols[i].name, name, len) &&
		    kernel->symbols[i].name[len] == '.')
			return kernel->symbols[i].name;
	return NULL;
}

/* Calls back for the BTF of each loaded module until the callback returns true. */
static bool each_module(const struct db_kernel *kernel,
			bool (*match)(struct btf *btf, const void *arg), const void *arg,
			char *module, size_t size)
{
	struct dirent *entry;
	struct btf *btf;
	bool found = false;
	DIR *dir;

	dir = opendir("/sys/kernel/btf");
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		btf = btf__load_module_btf(entry->d_name, kernel->btf);
		if (!btf)
			continue;
		found = match(btf, arg);
		btf__free(btf);
		if (found && module)
			snprintf(module, size, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

static bool has_function(struct btf *btf, const void *name)
{
	return btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

bool db_kernel_btf_function(const struct db_kernel *kernel, const char *name, char *module,
			    size_t size)
{
	if (module && size)
		module[0] = 0;
	if (has_function(kernel->btf, name))
		return true;
	return each_module(kernel, has_function, name, module, size);
}

bool db_kernel_btf_variable(const struct db_kernel *kernel, const char *name)
{
	return btf__find_by_name_kind(kernel->btf, name, BTF_KIND_VAR) > 0;
}

static int percpu_offset(const struct db_kernel *kernel, const char *name, __s64 *offset)
{
	int id = btf__find_by_name_kind(kernel->btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_var_secinfo *var;
	const struct btf_type *section, *type;
	int i;

	if (id < 0)
		return -ENOENT;
	section = btf__type_by_id(kernel->btf, id);
	for (i = 0, var = btf_var_secinfos(section); i < btf_vlen(section); i++, var++) {
		type = btf__type_by_id(kernel->btf, var->type);
		if (strcmp(btf__name_by_offset(kernel->btf, type->name_off), name))
			continue;
		*offset = var->offset;
		return 0;
	}
	return -ENOENT;
}

int db_kernel_percpu_delta(const struct db_kernel *kernel, const char *from, const char *to,
			   __s64 *delta)
{
	__s64 start, end;

	if (percpu_offset(kernel, from, &start) || percpu_offset(kernel, to, &end))
		return -ENOENT;
	*delta = end - start;
	return 0;
}

bool db_kernel_btf_typedef(const struct db_kernel *kernel, const char *name)
{
	return btf__find_by_name_kind(kernel->btf, name, BTF_KIND_TYPEDEF) > 0;
}

bool db_kernel_enumerator(const struct db_kernel *kernel, const char *name, __u64 *value)
{
	const struct btf_type *type;
	__u32 id, n = btf__type_cnt(kernel->btf);
	int i;

	for (id = 1; id < n; id++) {
		type = btf__type_by_id(kernel->btf, id);
		if (!btf_is_enum(type))
			continue;
		for (i = 0; i < btf_vlen(type); i++) {
			const struct btf_enum *e = btf_enum(type) + i;
			const char *s = btf__name_by_offset(kernel->btf, e->name_off);

			if (s && !strcmp(s, name)) {
				*value = (__u32)e->val;
				return true;
			}
		}
	}
	return false;
}

static bool type_has_member(const struct btf *btf, const struct btf_type *type, const char *member)
{
	const struct btf_member *m = btf_members(type);
	const struct btf_type *inner;
	const char *name;
	int i;

	for (i = 0; i < btf_vlen(type); i++, m++) {
		name = btf__name_by_offset(btf, m->name_off);
		if (name && *name) {
			if (!strcmp(name, member))
				return true;
			continue;
		}
		inner = btf__type_by_id(btf, m->type);
		if (inner && btf_is_composite(inner) && type_has_member(btf, inner, member))
			return true;
	}
	return false;
}

bool db_kernel_member(const struct db_kernel *kernel, const char *structure, const char *member)
{
	int id = btf__find_by_name_kind(kernel->btf, structure, BTF_KIND_STRUCT);

	return id > 0 && type_has_member(kernel->btf, btf__type_by_id(kernel->btf, id), member);
}
