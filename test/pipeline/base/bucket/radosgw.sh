#!/usr/bin/env bash
# Starts Ceph's S3 server on the loopback, with all data in memory: radosgw.sh start FOLDER PORT. Stops it: radosgw.sh stop FOLDER.
set -euo pipefail
folder=$2

if [ "$1" = stop ]; then
  for file in "$folder"/run/*.pid; do
    kill -KILL "$(cat "$file")" 2>/dev/null || true
  done
  exit
fi

port=$3
mkdir -p "$folder"/{mon,osd,mgr,rgw,run}
cluster=$(cat /proc/sys/kernel/random/uuid)
osd=$(cat /proc/sys/kernel/random/uuid)
cat > "$folder/ceph.conf" <<EOF
[global]
fsid = $cluster
mon initial members = a
mon host = v2:127.0.0.1:$((port + 1))/0
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
ms bind port min = $((port + 2))
ms bind port max = $((port + 40))
auth cluster required = none
auth service required = none
auth client required = none
# Without authentication, only this mode is possible.
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd crush update on start = false
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail warn = 1
mon data avail crit = 1
osd objectstore = memstore
memstore device bytes = 4294967296
osd data = $folder/osd
mon data = $folder/mon
mgr data = $folder/mgr
run dir = $folder/run
admin socket = $folder/run/\$name.asok
log file = $folder/\$name.log
pid file = $folder/run/\$name.pid
keyring = $folder/keyring
setuser match path =
# Writing and keeping its logs takes time.
debug rgw = 0/0
debug osd = 0/0
debug ms = 0/0
debug rados = 0/0
debug objecter = 0/0
debug objclass = 0/0
# Records of each operation and counters, which only people at its admin socket read, take time too.
osd enable op tracker = false
perf = false
throttler perf counter = false
# The default numbers of threads are for servers with dozens of cores. With two cores, so many threads mostly wait for each other.
osd op num shards = 1
osd op num threads per shard = 2
ms async op threads = 1
[client.rgw]
rgw data = $folder/rgw
rgw thread pool size = 16
rgw frontends = beast endpoint=127.0.0.1:$port
EOF
export CEPH_CONF="$folder/ceph.conf"
touch "$folder/keyring"

monmaptool --create --addv a "[v2:127.0.0.1:$((port + 1))]" --fsid "$cluster" "$folder/monmap"
ceph-mon --mkfs -i a --monmap "$folder/monmap"
ceph-mon -i a
timeout 30 ceph osd create "$osd"
ceph-osd --mkfs -i 0 --osd-uuid "$osd"
timeout 30 ceph osd crush add osd.0 1 root=default host=localhost
ceph-osd -i 0
timeout 60 radosgw-admin user create --uid=test --display-name=test --access-key=test --secret-key=testtest
timeout 60 radosgw -n client.rgw
