# SPDX-License-Identifier: GPL-2.0
# The type information (BTF) of a cached kernel, taken out of its compressed image: kernels/RELEASE/btf.

# btf_number FILE OFFSET BYTES: prints the little-endian number there.
btf_number()
{
	od -An -v -tu"$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# btf_extract IMAGE OUT: writes the .BTF section of an x86 bzImage. The setup header (offsets 0x1f1, 0x248 and
# 0x24c of the boot protocol) says where the compressed kernel lies.
btf_extract()
{
	local image=$1 out=$2 dir=$2.dir start size magic unpack

	start=$((($(btf_number "$image" $((0x1f1)) 1) + 1) * 512 + $(btf_number "$image" $((0x248)) 4)))
	size=$(btf_number "$image" $((0x24c)) 4)
	magic=$(od -An -v -tx1 -j "$start" -N 4 "$image" | tr -d ' ')
	case $magic in
	28b52ffd) unpack=zstd ;;
	fd377a58) unpack=xz ;;
	1f8b*) unpack=gzip ;;
	02214c18) unpack=lz4 ;;
	*) die "$image: its compression ($magic) is not known; point VMLINUX_BTF at a vmlinux" ;;
	esac
	need "$unpack" "${unpack/%xz/xz-utils}"
	need objcopy binutils
	mkdir -p "$dir" || die "cannot write below $KERNEL_DIR"
	# behind the stream is the unpacked size, which the unpackers take for rubbish
	tail -c +$((start + 1)) "$image" | head -c "$size" | "$unpack" -dc >"$dir/vmlinux" 2>/dev/null
	objcopy --dump-section .BTF="$dir/btf" "$dir/vmlinux" "$dir/rest" 2>/dev/null
	[ "$(od -An -tx1 -N 2 "$dir/btf" 2>/dev/null | tr -d ' ')" = 9feb ] ||
		{ rm -rf "$dir"; die "$image holds no BTF: choose another series"; }
	mv "$dir/btf" "$out" || die "cannot write $out"
	rm -rf "$dir"
}

# btf_verb SERIES: prints the file with the BTF of the newest cached kernel of the series.
btf_verb()
{
	local dir

	[ $# -eq 1 ] || die "btf needs a kernel series, e.g. 'guest btf 7.3'"
	need_x86_64
	kernel_ensure "$1" || exit
	dir=$(kernel_cached "$1")
	[ -s "$dir/btf" ] || with_lock btf btf_extract "$dir/vmlinuz" "$dir/btf"
	printf '%s\n' "$dir/btf"
}
