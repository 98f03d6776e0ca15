// A network card with data center bridging, for lldpad. The kernel's virtual cards have none, and lldpad does no DCBX
// on a card without. This library, loaded in front of the C library, answers lldpad's questions to the kernel about
// it (dcbnl: netlink messages RTM_GETDCB and RTM_SETDCB), and leaves everything else to the kernel. It accepts every
// configuration. Numbers: include/uapi/linux/dcbnl.h.
//
// With CEE_CARD in the environment it is a card whose driver is older than IEEE 802.1Qaz, and has CEE alone: lldpad then
// speaks CEE from the beginning. On a card with both, lldpad takes IEEE, and the Debian one crashes if CEE is forced.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { GSTATE = 1, GCAP = 11, GNUMTCS = 12, IEEE_GET = 21, GDCBX = 22 };
enum { STATE = 2, CAP = 9, NUMTCS = 10, IEEE = 13, DCBX = 14 };

#define MOST_FD 256
static struct { unsigned char bytes[1024]; int length; } answers[MOST_FD];

// add appends an attribute and returns where its value begins.
static unsigned char *add(struct nlmsghdr *h, int type, const void *value, int length) {
	struct nlattr *a = (struct nlattr *)((char *)h + NLMSG_ALIGN(h->nlmsg_len));
	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + length;
	if (value)
		memcpy((char *)a + NLA_HDRLEN, value, length);
	h->nlmsg_len = NLMSG_ALIGN(h->nlmsg_len) + NLA_ALIGN(a->nla_len);
	return (unsigned char *)a;
}

// nest appends an attribute of attributes of one byte each.
static void nest(struct nlmsghdr *h, int type, const unsigned char (*list)[2], int n) {
	struct nlattr *outer = (struct nlattr *)add(h, type, 0, 0);
	for (int i = 0; i < n; i++)
		add(h, list[i][0], &list[i][1], 1);
	outer->nla_len = (char *)h + h->nlmsg_len - (char *)outer;
}

// old tells whether the card has CEE alone.
static int old(void) { return getenv("CEE_CARD") != 0; }

// take makes the answer to a message about bridging; 0 if it is about something else.
static int take(int fd, const void *data, size_t length) {
	const struct nlmsghdr *q = data;
	if (fd < 0 || fd >= MOST_FD || length < NLMSG_LENGTH(4) || q->nlmsg_type != RTM_GETDCB && q->nlmsg_type != RTM_SETDCB)
		return 0;
	int domain = 0;
	socklen_t size = sizeof domain;
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) || domain != AF_NETLINK)
		return 0;
	const unsigned char *message = NLMSG_DATA(q), zero = 0, one = 1;
	int command = message[1];
	memset(&answers[fd], 0, sizeof answers[fd]);
	struct nlmsghdr *h = (struct nlmsghdr *)answers[fd].bytes;
	*h = *q;
	h->nlmsg_len = NLMSG_LENGTH(4);
	memcpy(NLMSG_DATA(h), message, 4);
	if (q->nlmsg_type == RTM_SETDCB) { // the name of the interface, then what is set: it is done
		const struct nlattr *name = (const void *)(message + 4);
		const struct nlattr *what = (const void *)((const char *)name + NLA_ALIGN(name->nla_len));
		add(h, what->nla_type & NLA_TYPE_MASK, &zero, 1);
	} else if (command == GSTATE) {
		add(h, STATE, &one, 1);
	} else if (command == GCAP) { // groups, PFC, any map, 8 classes and 8 with PFC, DCBX by the host in both versions
		static const unsigned char caps[][2] = {{2, 1}, {3, 1}, {4, 1}, {5, 0x80}, {6, 0x80}, {9, 1 | 4 | 8}};
		nest(h, CAP, caps, old() ? 5 : 6);
	} else if (command == GNUMTCS) {
		static const unsigned char classes[][2] = {{2, 8}, {3, 8}};
		nest(h, NUMTCS, classes, 2);
	} else if (command == IEEE_GET && !old()) {
		unsigned char ets[59] = {0, 8}, pfc[136] = {8};
		struct nlattr *outer = (struct nlattr *)add(h, IEEE, 0, 0);
		add(h, 1, ets, sizeof ets);
		add(h, 2, pfc, sizeof pfc);
		outer->nla_len = (char *)h + h->nlmsg_len - (char *)outer;
	} else if (command == GDCBX && !old()) {
		const unsigned char both = 1 | 4 | 8;
		add(h, DCBX, &both, 1);
	} else { // not known: an error, as a card without it gives
		h->nlmsg_type = NLMSG_ERROR;
		h->nlmsg_len = NLMSG_LENGTH(sizeof(struct nlmsgerr));
		struct nlmsgerr *e = NLMSG_DATA(h);
		e->error = -95; // EOPNOTSUPP
		e->msg = *q;
	}
	answers[fd].length = h->nlmsg_len;
	return 1;
}

// give copies a waiting answer; -1 without one. A peek leaves it.
static ssize_t give(int fd, void *to, size_t room, int flags) {
	if (fd < 0 || fd >= MOST_FD || answers[fd].length == 0)
		return -1;
	size_t n = answers[fd].length;
	memcpy(to, answers[fd].bytes, n < room ? n : room);
	if (!(flags & MSG_PEEK))
		answers[fd].length = 0;
	return flags & MSG_TRUNC ? n : n < room ? n : room;
}

ssize_t sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
	static ssize_t (*next)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
	if (!next)
		next = dlsym(RTLD_NEXT, "sendto");
	return take(fd, data, length) ? (ssize_t)length : next(fd, data, length, flags, to, size);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
	static ssize_t (*next)(int, const struct msghdr *, int);
	if (!next)
		next = dlsym(RTLD_NEXT, "sendmsg");
	if (m->msg_iovlen > 0 && take(fd, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len))
		return m->msg_iov[0].iov_len;
	return next(fd, m, flags);
}

ssize_t recv(int fd, void *to, size_t room, int flags) {
	static ssize_t (*next)(int, void *, size_t, int);
	if (!next)
		next = dlsym(RTLD_NEXT, "recv");
	ssize_t n = give(fd, to, room, flags);
	return n >= 0 ? n : next(fd, to, room, flags);
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags) {
	static ssize_t (*next)(int, struct msghdr *, int);
	if (!next)
		next = dlsym(RTLD_NEXT, "recvmsg");
	ssize_t n = m->msg_iovlen > 0 ? give(fd, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len, flags) : -1;
	if (n < 0)
		return next(fd, m, flags);
	m->msg_flags = 0;
	m->msg_controllen = 0;
	if (m->msg_name && m->msg_namelen >= sizeof(struct sockaddr_nl)) {
		memset(m->msg_name, 0, sizeof(struct sockaddr_nl));
		((struct sockaddr_nl *)m->msg_name)->nl_family = AF_NETLINK;
		m->msg_namelen = sizeof(struct sockaddr_nl);
	}
	return n;
}
