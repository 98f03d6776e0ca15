#ifndef HARNESS_QBB_NET_DEVICE_H
#define HARNESS_QBB_NET_DEVICE_H

#include <ns3/node.h>

#include <sstream>

namespace ns3 {

class QbbNetDevice : public NetDevice {
 public:
  explicit QbbNetDevice(uint32_t port) : m_port(port) {}
  void SendPfc(uint32_t qIndex, uint32_t type) {
    Sent() << (type == 0 ? " x " : " r ") << m_port - 1 << " " << qIndex;
  }
  static std::ostringstream &Sent() {
    static std::ostringstream sent;
    return sent;
  }

 private:
  uint32_t m_port;
};

} /* namespace ns3 */

#endif
