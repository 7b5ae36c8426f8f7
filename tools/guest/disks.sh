# SPDX-License-Identifier: GPL-2.0
# Disk specifications, KIND:MIB[,OPTION=VALUE]...: checked here, made in the guest (inside-disks).

# disk_check SPEC: checks a specification and prints it as "KIND MIB OPTION=VALUE ...".
disk_check()
{
	local spec=$1 kind size rest option allowed

	[[ $spec =~ ^([a-z]+):([0-9]+)(,(.*))?$ ]] ||
		die "disk '$spec' is not KIND:MIB[,OPTION=VALUE]...: e.g. virtio:512 or null:256,irqmode=1"
	kind=${BASH_REMATCH[1]} size=${BASH_REMATCH[2]} rest=${BASH_REMATCH[4]}
	case $kind in
	virtio) allowed="queues" ;;
	null | scsi) allowed="*" ;;
	loop) allowed="" ;;
	delay) allowed="ms read_ms write_ms on irqmode" ;;
	flakey) allowed="up down feature on irqmode" ;;
	*) die "disk kind '$kind' is unknown: use virtio, null, loop, scsi, delay or flakey" ;;
	esac
	[ "$size" -gt 0 ] && [ "$size" -le 1048576 ] || die "disk '$spec': the size must be 1 to 1048576 MiB"
	for option in ${rest//,/ }; do
		[[ $option =~ ^[a-z_]+=[A-Za-z0-9_.-]+$ ]] || die "disk '$spec': '$option' is not OPTION=VALUE"
		[ "$allowed" = "*" ] || [[ " $allowed " == *" ${option%%=*} "* ]] ||
			die "disk '$spec': $kind has no option '${option%%=*}' (it has: ${allowed:-none})"
		case $option in
		on=null | on=loop | on=virtio) ;;
		on=*) die "disk '$spec': 'on' must be null, loop or virtio" ;;
		# The kernel silently takes 2 for every larger number.
		irqmode=[012]) ;;
		irqmode=*) die "disk '$spec': 'irqmode' must be 0, 1 or 2" ;;
		esac
	done
	printf '%s %s %s\n' "$kind" "$size" "${rest//,/ }"
}

# disk_is_virtio LINE: does this checked specification need a disk of the virtual machine?
disk_is_virtio()
{
	case "$1 " in
	virtio\ * | *\ on=virtio\ *) return 0 ;;
	esac
	return 1
}
