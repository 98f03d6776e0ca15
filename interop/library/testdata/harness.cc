/* Calls cellwarden-switch-mmu.h as the switch of HPCC's ns-3 calls its MMU, in the same order:
 *   harness PORTS [BUFFER RESERVE OFFSET HEADROOM SHIFT]
 * With the five numbers the rule is HPCC's; otherwise $CELLWARDEN_TOPOLOGY has the plan. It reads packets from standard
 * input, "a IN OUT PRIORITY BYTES" that arrive and "l ..." that leave, with ports from 0, and prints a line for each:
 * a admitted, d dropped, l left, then the pause frames that are sent, and with HPCC's rule six counters. */
#include <cstdio>
#include <cstring>

#include <cellwarden-switch-mmu.h>

using namespace ns3;

static SwitchMmu *mmu;
static std::vector<QbbNetDevice *> devices;

static bool Arrive(uint32_t in, uint32_t out, uint32_t q, uint32_t bytes) {
  if (!(mmu->CheckIngressAdmission(in, q, bytes) && mmu->CheckEgressAdmission(out, q, bytes))) return false;
  mmu->UpdateIngressAdmission(in, q, bytes);
  mmu->UpdateEgressAdmission(out, q, bytes);
  if (mmu->CheckShouldPause(in, q)) {
    devices[in]->SendPfc(q, 0);
    mmu->SetPause(in, q);
  }
  return true;
}

static void Leave(uint32_t in, uint32_t out, uint32_t q, uint32_t bytes) {
  mmu->RemoveFromIngressAdmission(in, q, bytes);
  mmu->RemoveFromEgressAdmission(out, q, bytes);
  mmu->ShouldSendCN(out, q);
  if (mmu->CheckShouldResume(in, q)) {
    devices[in]->SendPfc(q, 1);
    mmu->SetResume(in, q);
  }
}

int main(int argc, char **argv) {
  bool hpcc = argc == 7;
  if (!hpcc && argc != 2) return 2;
  uint32_t ports = uint32_t(std::atoi(argv[1]));
  Node node;
  for (uint32_t i = 0; i <= ports; i++) { /* device 0 is the loopback */
    devices.push_back(new QbbNetDevice(i));
    node.devices.push_back(devices.back());
  }
  NodeList::All().push_back(&node);

  mmu = new SwitchMmu();
  for (uint32_t i = 1; i <= ports; i++) {
    mmu->ConfigEcn(i, 5, 200, 0.01);
    if (hpcc) {
      mmu->ConfigHdrm(i, uint32_t(std::atoi(argv[5])));
      mmu->pfc_a_shift[i] = uint32_t(std::atoi(argv[6]));
    }
  }
  if (hpcc) {
    mmu->reserve = uint32_t(std::atoi(argv[3]));
    mmu->resume_offset = uint32_t(std::atoi(argv[4]));
  }
  mmu->ConfigNPort(ports);
  if (hpcc) mmu->ConfigBufferSize(uint32_t(std::atoi(argv[2])));
  mmu->node_id = 0;

  char kind;
  unsigned in, out, q, bytes;
  long long headroom = 0; /* of all ports */
  while (std::scanf(" %c %u %u %u %u", &kind, &in, &out, &q, &bytes) == 5) {
    in++, out++;
    cellwarden_group before = mmu->Read(in, q);
    if (kind == 'l') {
      Leave(in, out, q, bytes);
    } else if (!Arrive(in, out, q, bytes)) {
      kind = 'd';
    }
    std::printf("%c%s", kind, QbbNetDevice::Sent().str().c_str());
    QbbNetDevice::Sent().str("");
    if (hpcc) {
      cellwarden_group g = mmu->Read(in, q);
      headroom += g.headroom - before.headroom;
      std::printf(" | %lld %lld %lld %lld %llu %llu", (long long)(g.reserved + g.shared), (long long)g.headroom,
                  (long long)mmu->Counters().shared, headroom, (unsigned long long)mmu->egress_bytes[out][q],
                  (unsigned long long)mmu->GetPfcThreshold(in));
    }
    std::printf("\n");
  }
  delete mmu;
  for (size_t i = 0; i < devices.size(); i++) delete devices[i];
  return 0;
}
