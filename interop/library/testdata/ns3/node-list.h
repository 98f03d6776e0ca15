#ifndef HARNESS_NODE_LIST_H
#define HARNESS_NODE_LIST_H

#include <ns3/node.h>

namespace ns3 {

class NodeList {
 public:
  static std::vector<Node *> &All() {
    static std::vector<Node *> nodes;
    return nodes;
  }
  static Ptr<Node> GetNode(uint32_t id) { return Ptr<Node>(All().at(id)); }
};

} /* namespace ns3 */

#endif
