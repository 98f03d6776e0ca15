/* cellwarden-switch-mmu.h: the MMU of a planned chip in ns-3 with HPCC's switch (Apache License 2.0).
 *
 * It has the methods of SwitchMmu that SwitchNode calls. Put this file and cellwarden.h into
 * src/point-to-point/model and include it in switch-node.h in place of switch-mmu.h; docs/ns3.md has the rest.
 *
 * SwitchNode asks the ingress and then the egress, and counts afterwards. A chip decides about both at once, so
 * CheckIngressAdmission only notes the port, CheckEgressAdmission admits or drops, and the Update methods count what
 * others read. SwitchNode asks for a resumption of the leaving packet's port alone, and for no pause when it drops;
 * signals of those kinds go to the device from here, if node_id is that of the switch.
 */
#ifndef CELLWARDEN_SWITCH_MMU_H
#define CELLWARDEN_SWITCH_MMU_H

#include <ns3/node-list.h>
#include <ns3/node.h>
#include <ns3/qbb-net-device.h>
#include <stdint.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "cellwarden.h"

namespace ns3 {

class CellwardenSwitchMmu : public Object {
 public:
  static const uint32_t pCnt = 1025; /* ports, with port 0, which has no link */
  static const uint32_t qCnt = 8;

  static TypeId GetTypeId(void) {
    static TypeId tid =
        TypeId("ns3::CellwardenSwitchMmu").SetParent<Object>().AddConstructor<CellwardenSwitchMmu>();
    return tid;
  }

  /* Set before the first packet. */
  std::string topology;    /* the file of the switch's plan; empty: HPCC's rule. By default $CELLWARDEN_TOPOLOGY */
  std::string family;      /* of the rule of admission; empty: the chip's own */
  uint32_t frame_extra;    /* bytes of a frame that the simulated packet does not have: 4 of the FCS. HPCC's rule: 0 */
  uint64_t ecn_seed;       /* of the random numbers of ShouldSendCN, with node_id */
  uint32_t node_id;
  /* Of HPCC's rule; a plan has its own. */
  uint32_t buffer_size, reserve, resume_offset, total_hdrm, total_rsrv;
  uint32_t pfc_a_shift[pCnt], headroom[pCnt];
  uint32_t kmin[pCnt], kmax[pCnt];
  double pmax[pCnt];

  /* What others read. */
  uint64_t egress_bytes[pCnt][qCnt];
  uint32_t paused[pCnt][qCnt];

  CellwardenSwitchMmu(void)
      : frame_extra(4), ecn_seed(1), node_id(NO_NODE), buffer_size(12 * 1024 * 1024), reserve(4 * 1024),
        resume_offset(3 * 1024), total_hdrm(0), total_rsrv(0), pfc_a_shift(), headroom(), kmin(), kmax(), pmax(),
        egress_bytes(), paused(), m_mmu(0), m_cell(1), m_ports(0), m_in(0), m_leaving(0), m_due(), m_room(false),
        m_random(0) {
    if (const char *path = std::getenv("CELLWARDEN_TOPOLOGY")) topology = path;
  }

  virtual ~CellwardenSwitchMmu(void) {
    if (m_mmu) cellwarden_mmu_free(m_mmu);
  }

  bool CheckIngressAdmission(uint32_t port, uint32_t, uint32_t) {
    m_in = port;
    return true;
  }

  bool CheckEgressAdmission(uint32_t port, uint32_t qIndex, uint32_t psize) {
    int32_t result = Checked("arrive", m_in, qIndex, cellwarden_mmu_arrive(Made(), Number(m_in), Number(port),
                                                                          int32_t(qIndex), Bytes(psize)));
    if (result & CELLWARDEN_XOFF) m_due[m_in][qIndex] = XOFF;
    if (result & CELLWARDEN_ADMITTED) return true;
    /* SwitchNode drops the packet and asks no further. */
    if (result & CELLWARDEN_XOFF && Send(m_in, qIndex, true)) SetPause(m_in, qIndex);
    return false;
  }

  void UpdateIngressAdmission(uint32_t, uint32_t, uint32_t) {}

  void UpdateEgressAdmission(uint32_t port, uint32_t qIndex, uint32_t psize) { egress_bytes[port][qIndex] += psize; }

  void RemoveFromIngressAdmission(uint32_t port, uint32_t, uint32_t) { m_leaving = port; }

  void RemoveFromEgressAdmission(uint32_t port, uint32_t qIndex, uint32_t psize) {
    egress_bytes[port][qIndex] -= psize;
    int32_t result = Checked("leave", m_leaving, qIndex, cellwarden_mmu_leave(Made(), Number(m_leaving), Number(port),
                                                                             int32_t(qIndex), Bytes(psize)));
    if (result & CELLWARDEN_XON) Due(m_leaving, qIndex);
    if (result & CELLWARDEN_ROOM) m_room = true;
  }

  bool CheckShouldPause(uint32_t port, uint32_t qIndex) { return m_due[port][qIndex] == XOFF; }

  /* If this port resumes, the others follow in SetResume, after its frame has been sent. */
  bool CheckShouldResume(uint32_t port, uint32_t qIndex) {
    if (m_due[port][qIndex] == XON) return true;
    ResumeOthers();
    return false;
  }

  void SetPause(uint32_t port, uint32_t qIndex) {
    m_due[port][qIndex] = NOTHING;
    paused[port][qIndex] = 1;
  }

  void SetResume(uint32_t port, uint32_t qIndex) {
    m_due[port][qIndex] = NOTHING;
    paused[port][qIndex] = 0;
    ResumeOthers();
  }

  /* Bytes of the group's limit at present. */
  uint64_t GetPfcThreshold(uint32_t port, uint32_t qIndex = 3) {
    int64_t limit = Read(port, qIndex).limit;
    return limit < 0 ? UINT64_MAX : uint64_t(limit) * m_cell;
  }

  /* Bytes of the cells that the group shares. */
  uint64_t GetSharedUsed(uint32_t port, uint32_t qIndex) { return uint64_t(Read(port, qIndex).shared) * m_cell; }

  /* What the group holds, in cells of CellBytes() bytes. */
  cellwarden_group Read(uint32_t port, uint32_t qIndex) {
    cellwarden_group group;
    Checked("group", port, qIndex, cellwarden_mmu_group(Made(), Number(port), int32_t(qIndex), &group));
    return group;
  }

  cellwarden_counters Counters(void) {
    cellwarden_counters counters;
    Checked("counters", 0, 0, cellwarden_mmu_counters(Made(), &counters));
    return counters;
  }

  uint32_t CellBytes(void) {
    Made();
    return m_cell;
  }

  /* Marks none below kmin, all above kmax, and between them in proportion up to pmax. */
  bool ShouldSendCN(uint32_t ifindex, uint32_t qIndex) {
    uint64_t queued = egress_bytes[ifindex][qIndex];
    if (qIndex == 0 || queued <= kmin[ifindex]) return false;
    if (queued > kmax[ifindex]) return true;
    return Random() < pmax[ifindex] * double(queued - kmin[ifindex]) / (kmax[ifindex] - kmin[ifindex]);
  }

  void ConfigEcn(uint32_t port, uint32_t _kmin, uint32_t _kmax, double _pmax) { /* kmin and kmax in 1000 bytes */
    kmin[port] = _kmin * 1000;
    kmax[port] = _kmax * 1000;
    pmax[port] = _pmax;
  }

  void ConfigHdrm(uint32_t port, uint32_t size) { headroom[port] = size; }

  void ConfigNPort(uint32_t n_port) {
    m_ports = n_port;
    total_hdrm = 0;
    for (uint32_t i = 1; i <= n_port; i++) total_hdrm += headroom[i];
    total_rsrv = n_port * reserve;
  }

  void ConfigBufferSize(uint32_t size) { buffer_size = size; }

 private:
  enum Signal { NOTHING, XOFF, XON };
  static const uint32_t NO_NODE = 0xffffffff;

  cellwarden_mmu m_mmu;
  uint32_t m_cell, m_ports;
  uint32_t m_in, m_leaving;      /* ingress ports of the packets that arrive and leave */
  uint8_t m_due[pCnt][qCnt];     /* the signal that SwitchNode has yet to ask for */
  bool m_room;                   /* other groups may resume */
  uint64_t m_random;

  /* A copy would free the MMU of its original. */
  CellwardenSwitchMmu(const CellwardenSwitchMmu &);
  CellwardenSwitchMmu &operator=(const CellwardenSwitchMmu &);

  /* The library numbers ports from 0, and ns-3 from 1: device 0 is the loopback. */
  static int32_t Number(uint32_t port) { return int32_t(port) - 1; }

  int32_t Bytes(uint32_t psize) const { return int32_t(psize + (topology.empty() ? 0 : frame_extra)); }

  /* A simulation that goes on without an answer has wrong results. */
  void Fail(const std::string &text) const {
    std::cerr << "cellwarden: switch " << node_id << ": " << text << std::endl;
    std::exit(1);
  }

  int32_t Checked(const char *what, uint32_t port, uint32_t qIndex, int32_t result) const {
    if (result < 0) {
      std::ostringstream text;
      text << what << ", port " << port << ", priority " << qIndex << ": " << cellwarden_error(result);
      Fail(text.str());
    }
    return result;
  }

  /* The MMU is made with the first packet, when all has been configured. */
  cellwarden_mmu Made(void) {
    if (m_mmu) return m_mmu;
    std::ostringstream q;
    if (!topology.empty()) {
      q << "{\"path\":" << Quoted(topology);
      if (!family.empty()) q << ",\"behaviour\":" << Quoted(family);
      q << "}";
    } else {
      if (m_ports == 0) Fail("no topology and no ports: want CELLWARDEN_TOPOLOGY, or ConfigNPort before the first packet");
      q << "{\"hpcc\":{\"buffer_bytes\":" << buffer_size << ",\"reserve_bytes\":" << reserve
        << ",\"resume_offset_bytes\":" << resume_offset << ",\"headroom_bytes\":[";
      for (uint32_t i = 1; i <= m_ports; i++) q << (i > 1 ? "," : "") << headroom[i];
      q << "],\"alpha_shift\":[";
      for (uint32_t i = 1; i <= m_ports; i++) q << (i > 1 ? "," : "") << pfc_a_shift[i];
      q << "]}}";
    }
    if (cellwarden_abi() != CELLWARDEN_ABI) Fail("cellwarden.h is of another version than the library");
    char *answer = 0;
    std::string question = q.str();
    int32_t code = cellwarden_mmu_new(question.data(), question.size(), &m_mmu, &answer);
    std::string text = cellwarden_error(code);
    if (code < 0 && answer) text += std::string(":\n") + answer;
    if (code == CELLWARDEN_DOES_NOT_FIT) text += ": cellwarden plan " + topology + " says which ports";
    cellwarden_free(answer);
    if (code != CELLWARDEN_OK) Fail(text);
    m_cell = uint32_t(cellwarden_mmu_cell(m_mmu));
    return m_mmu;
  }

  static std::string Quoted(const std::string &text) {
    static const char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (size_t i = 0; i < text.size(); i++) {
      unsigned char c = static_cast<unsigned char>(text[i]);
      if (c == '"' || c == '\\') out += '\\';
      if (c < 32) {
        out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
      } else {
        out += text[i];
      }
    }
    return out + "\"";
  }

  /* An XON that follows an XOFF which nobody asked for leaves nothing to send. */
  void Due(uint32_t port, uint32_t qIndex) { m_due[port][qIndex] = m_due[port][qIndex] == XOFF ? NOTHING : XON; }

  void ResumeOthers(void) {
    int32_t number, priority;
    while (m_room && cellwarden_mmu_resume(m_mmu, &number, &priority) == 1) {
      uint32_t port = uint32_t(number) + 1;
      Due(port, uint32_t(priority));
      if (m_due[port][priority] == XON && Send(port, uint32_t(priority), false)) {
        m_due[port][priority] = NOTHING;
        paused[port][priority] = 0;
      }
    }
    m_room = false;
  }

  /* false: the switch is not known, and the signal stays due until SwitchNode asks for it. */
  bool Send(uint32_t port, uint32_t qIndex, bool xoff) const {
    if (node_id == NO_NODE) return false;
    Ptr<QbbNetDevice> device = DynamicCast<QbbNetDevice>(NodeList::GetNode(node_id)->GetDevice(port));
    if (!device) return false;
    device->SendPfc(qIndex, xoff ? 0 : 1);
    return true;
  }

  double Random(void) { /* xorshift64*, Vigna 2016 */
    if (m_random == 0) m_random = (ecn_seed + 1) * 0x9e3779b97f4a7c15ULL + node_id;
    m_random ^= m_random >> 12;
    m_random ^= m_random << 25;
    m_random ^= m_random >> 27;
    return double((m_random * 0x2545f4914f6cdd1dULL) >> 11) / 9007199254740992.0;
  }
};

typedef CellwardenSwitchMmu SwitchMmu;

} /* namespace ns3 */

#endif
