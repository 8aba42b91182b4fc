#!/bin/sh
# Becomes the init of a machine: systemd on a copy of this root, whose changes are in memory and end with it.
# machine.ts starts it in namespaces of its own. Its argument is an empty folder.
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
cd "$1/root"

mount -t proc proc proc
# The machine must not set the kernel's variables for everybody.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/shm dev/pts
for device in null zero full random urandom tty; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for place in dev/shm run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$place"; done
chmod 755 run

# Nothing of this machine's own start happens again: no udev, no sysctl, no generators. The journal runs, without audit.
rm -rf etc/systemd/system lib/systemd/system-generators lib/systemd/system/*.target.wants
mkdir -p etc/systemd/system run/systemd/system
: > etc/fstab
ln -s /dev/null etc/systemd/system/systemd-journald-audit.socket
printf '[Unit]\nWants=systemd-journald.service\n' > etc/systemd/system/machine.target

# In a changed root, unlike in a new one, no process may have a namespace of users.
mkdir old-root
pivot_root . old-root
cd /
umount -l old-root
rmdir old-root
# A unit sees the credentials that systemd mounts for it. A kernel's own init does the same.
mount --make-rshared /
exec env -i container=exchange-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  "$2" --system --unit=machine.target --log-target=journal --show-status=no
