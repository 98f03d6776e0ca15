#!/bin/sh
# Fetches the published YANG models of SONiC, SR Linux, EOS and Junos, and has yanglint
# check every rendering of package nos against them (TestPublishedModels).
#
# It needs git, go and yanglint of libyang 2 (Debian and Ubuntu: apt-get install
# libyang2-tools) and a git with sparse-checkout (2.27 or later). It reads the folders with models of five public
# repositories. The models stay in YANG_DIR, by default a new temporary directory; a directory that has them is used as
# it is.
set -eu
for tool in git go yanglint; do
	command -v "$tool" >/dev/null || { echo "models.sh needs $tool" >&2; exit 2; }
done
: "${YANG_DIR:=$(mktemp -d)}"
export YANG_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# part URL REVISION NAME FOLDER...: some folders of one revision, in $work/NAME; an empty REVISION is the newest. The
# other folders are not read: SONiC's images and Juniper's models have files of many MB.
part() {
	git -c advice.detachedHead=false clone --quiet --depth 1 --filter=blob:none --no-checkout ${2:+--branch "$2"} \
		"$1" "$work/$3"
	clone=$work/$3
	shift 3
	git -C "$clone" sparse-checkout set "$@"
	git -C "$clone" -c advice.detachedHead=false checkout --quiet
}

mkdir -p "$YANG_DIR"
if [ ! -d "$YANG_DIR/srlinux" ]; then
	part https://github.com/nokia/srlinux-yang-models v25.3.1 srlinux srlinux-yang-models
	cp -r "$work/srlinux/srlinux-yang-models" "$YANG_DIR/srlinux"
fi
if [ ! -d "$YANG_DIR/eos" ] || [ ! -d "$YANG_DIR/sonic" ]; then
	part https://github.com/openconfig/public '' public third_party/ietf # has the models of IETF, which both import
fi
if [ ! -d "$YANG_DIR/eos" ]; then
	part https://github.com/aristanetworks/yang '' arista EOS-4.36.1F
	cp -r "$work/arista/EOS-4.36.1F" "$YANG_DIR/eos"
	cp -r "$work/public/third_party/ietf" "$YANG_DIR/eos/ietf"
fi
if [ ! -d "$YANG_DIR/sonic" ]; then
	part https://github.com/sonic-net/sonic-buildimage '' sonic src/sonic-yang-models
	cp -r "$work/sonic/src/sonic-yang-models" "$YANG_DIR/sonic"
	cp -r "$work/public/third_party/ietf" "$YANG_DIR/sonic/ietf"
fi
if [ ! -d "$YANG_DIR/junos" ]; then
	native=24.4/24.4R1/native/conf-and-rpcs
	part https://github.com/Juniper/yang '' juniper "$native/junos-qfx/conf/models" "$native/common/models"
	mkdir "$YANG_DIR/junos"
	cp "$work/juniper/$native"/junos-qfx/conf/models/*.yang "$work/juniper/$native"/common/models/*.yang "$YANG_DIR/junos"
fi
echo "models in $YANG_DIR"
cd "$(dirname "$0")/.."
go test ./nos -count=1 -v -run TestPublishedModels
