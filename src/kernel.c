// SPDX-License-Identifier: GPL-2.0
#include "kernel.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "modules.h"

/* A module's BTF; NULL when it has none, which is worth remembering too. */
struct db_module_btf {
	struct db_module_btf *next;
	struct btf *btf;
	char name[64];
};

static void free_symbols(struct db_kernel *kernel)
{
	free(kernel->symbols);
	free(kernel->symbol_text);
	free(kernel->modules);
	kernel->symbols = NULL;
	kernel->symbol_text = NULL;
	kernel->modules = NULL;
	kernel->nsymbols = 0;
}

static void free_module_btfs(struct db_kernel *kernel)
{
	struct db_module_btf *module;

	while ((module = kernel->module_btfs)) {
		kernel->module_btfs = module->next;
		btf__free(module->btf);
		free(module);
	}
}

/* A whole file of /proc, whose size is not known before; NULL: not readable, or out of memory. */
static char *read_all(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 1 << 16, size = 0;
	char *text = NULL, *bigger;
	ssize_t n;

	if (fd < 0)
		return NULL;
	for (;;) {
		if (!text || size + 4096 > room) {
			room *= 2;
			bigger = realloc(text, room);
			if (!bigger)
				break;
			text = bigger;
		}
		n = read(fd, text + size, room - size - 1);
		if (n <= 0) {
			close(fd);
			text[size] = 0;
			return text;
		}
		size += n;
	}
	free(text);
	close(fd);
	return NULL;
}

/* One line "ADDRESS TYPE NAME[\t[MODULE]]", cut up in place.  False: not a function. */
static bool parse_symbol(char *line, struct db_symbol *symbol)
{
	char *end, *name, type;

	symbol->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || end[2] != ' ')
		return false;
	type = end[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return false;
	name = end + 3;
	end = name + strcspn(name, "\t ");
	symbol->module = *end != 0;
	*end = 0;
	symbol->name = name;
	return true;
}

/* What db_kernel_refresh() compares; NULL: not readable. */
static char *read_modules(void)
{
	char *text = read_all("/proc/modules");

	if (text)
		db_modules_forget_users(text);
	return text;
}

int db_kernel_read_symbols(struct db_kernel *kernel)
{
	struct db_symbol symbol, *bigger;
	char *line, *next;
	size_t room = 0;

	free_symbols(kernel);
	kernel->modules = read_modules();
	kernel->symbol_text = read_all("/proc/kallsyms");
	for (line = kernel->symbol_text; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if (!parse_symbol(line, &symbol))
			continue;
		if (kernel->nsymbols == room) {
			room = room ? 2 * room : 65536;
			bigger = realloc(kernel->symbols, room * sizeof(*bigger));
			if (!bigger) {
				free_symbols(kernel);
				return -ENOMEM;
			}
			kernel->symbols = bigger;
		}
		kernel->symbols[kernel->nsymbols++] = symbol;
	}
	return 0;
}

int db_kernel_refresh(struct db_kernel *kernel)
{
	char *modules = read_modules();
	bool same = modules && kernel->modules && !strcmp(modules, kernel->modules);
	int err;

	free(modules);
	if (same || (!modules && !kernel->modules))
		return 0;
	free_module_btfs(kernel);
	err = db_kernel_read_symbols(kernel);
	return err ? err : 1;
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
	free_module_btfs(kernel);
	btf__free(kernel->btf);
	kernel->btf = NULL;
}

/* A look through all: there are few lookups, and sorting costs more. */
static const struct db_symbol *find_symbol(const struct db_kernel *kernel, const char *name)
{
	size_t i;

	for (i = 0; i < kernel->nsymbols; i++)
		if (kernel->symbols[i].name[0] == name[0] && !strcmp(kernel->symbols[i].name, name))
			return &kernel->symbols[i];
	return NULL;
}

__u64 db_kernel_address(const struct db_kernel *kernel, const char *name)
{
	const struct db_symbol *symbol = find_symbol(kernel, name);

	return symbol ? symbol->address : 0;
}

static bool has_function(const struct btf *btf, const char *name)
{
	return btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

bool db_kernel_has_symbol(const struct db_kernel *kernel, const char *name)
{
	if (!kernel->nsymbols)
		return has_function(kernel->btf, name);
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

/* BTF of a loaded module, NULL if there is none. */
static const struct btf *module_btf(struct db_kernel *kernel, const char *name)
{
	struct db_module_btf *module;
	char path[96];

	for (module = kernel->module_btfs; module; module = module->next)
		if (!strcmp(module->name, name))
			return module->btf;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (access(path, R_OK))
		return NULL;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	snprintf(module->name, sizeof(module->name), "%s", name);
	module->btf = btf__load_module_btf(name, kernel->btf);
	module->next = kernel->module_btfs;
	kernel->module_btfs = module;
	return module->btf;
}

bool db_kernel_btf_function(struct db_kernel *kernel, const char *name, const char *module)
{
	return has_function(kernel->btf, name) ||
	       (module && has_function(module_btf(kernel, module), name));
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

/* Bits from the start of @type to its member, or -ENOENT. */
static int member_bit(const struct btf *btf, const struct btf_type *type, const char *member)
{
	const struct btf_type *inner;
	const char *name;
	int i, bit, inner_bit;

	for (i = 0; i < btf_vlen(type); i++) {
		name = btf__name_by_offset(btf, btf_members(type)[i].name_off);
		bit = btf_member_bit_offset(type, i);
		if (name && *name) {
			if (!strcmp(name, member))
				return bit;
			continue;
		}
		inner = btf__type_by_id(btf, btf_members(type)[i].type);
		inner_bit = inner && btf_is_composite(inner) ? member_bit(btf, inner, member) : -ENOENT;
		if (inner_bit >= 0)
			return bit + inner_bit;
	}
	return -ENOENT;
}

static int struct_member_bit(const struct btf *btf, const char *structure, const char *member)
{
	int id = btf ? btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT) : -ENOENT;

	return id > 0 ? member_bit(btf, btf__type_by_id(btf, id), member) : -ENOENT;
}

int db_kernel_member_offset(struct db_kernel *kernel, const char *structure, const char *member,
			    const char *module)
{
	int bit = struct_member_bit(kernel->btf, structure, member);

	if (bit < 0 && module)
		bit = struct_member_bit(module_btf(kernel, module), structure, member);
	return bit < 0 || bit % 8 ? -ENOENT : bit / 8;
}

bool db_kernel_member(const struct db_kernel *kernel, const char *structure, const char *member)
{
	return struct_member_bit(kernel->btf, structure, member) >= 0;
}
