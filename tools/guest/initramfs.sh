# SPDX-License-Identifier: GPL-2.0
# A small initramfs per kernel: busybox, the modules that a 9p root over virtio needs, and `initramfs-init`.

# Modules that must be loaded before the root is there; those that are built in or unknown are left out.
INITRAMFS_MODULES="virtio_pci 9pnet_virtio 9p overlay virtio_console virtio_blk configfs"

# initramfs_ready KERNEL_DIR ROOT: prints the path of the initramfs of that kernel, made when it is not there.
initramfs_ready()
{
	local kernel=$1 root=$2 release id path new file name

	release=$(cd "$kernel/usr/lib/modules" 2>/dev/null && echo *)
	id=$({ cat "$GUEST_DIR/initramfs-init" "$GUEST_DIR/initramfs.sh"; cat "$root/usr/bin/busybox"; } |
		sha256sum | cut -c1-12)
	path=$kernel/initramfs-$id
	if [ -e "$path" ]; then
		printf '%s\n' "$path"
		return 0
	fi
	need modprobe kmod
	need xz xz-utils
	new=$(mktemp -d "$kernel/.initramfs.XXXXXX") || die "cannot write below $kernel"
	mkdir -p "$new"/{bin,m,proc,sys,dev}
	cp "$root/usr/bin/busybox" "$new/bin/busybox" && cp "$GUEST_DIR/initramfs-init" "$new/init" &&
		chmod 755 "$new/init" "$new/bin/busybox" || die "cannot write below $new"
	[ -n "$release" ] && for name in $INITRAMFS_MODULES; do
		PATH=$PATH:/usr/sbin:/sbin modprobe -d "$kernel" -S "$release" --show-depends "$name" 2>/dev/null
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
		name=$(basename "$file" .xz)
		case $file in
		*.xz) xz -dc "$file" >"$new/m/$name" ;;
		*) cp "$file" "$new/m/$name" ;;
		esac
		printf '%s\n' "$name" >>"$new/m/order"
	done
	: >>"$new/m/order"
	(cd "$new" && find . | "$root/usr/bin/busybox" cpio -o -H newc 2>/dev/null) >"$new.cpio" &&
		mv "$new.cpio" "$path" || die "cannot make $path"
	rm -rf "$new"
	printf '%s\n' "$path"
}
