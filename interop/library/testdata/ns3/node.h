/* As much of ns-3's objects as cellwarden-switch-mmu.h uses, written for the harness: a network of one switch whose
 * devices note the pause frames that they are told to send. */
#ifndef HARNESS_NODE_H
#define HARNESS_NODE_H

#include <stdint.h>

#include <string>
#include <vector>

namespace ns3 {

template <class T>
class Ptr { /* not counted: the harness owns all objects */
 public:
  Ptr(T *object = 0) : m_object(object) {}
  T *operator->() const { return m_object; }
  bool operator!() const { return m_object == 0; }
  T *Get() const { return m_object; }

 private:
  T *m_object;
};

template <class T, class U>
Ptr<T> DynamicCast(const Ptr<U> &p) {
  return Ptr<T>(dynamic_cast<T *>(p.Get()));
}

class Object;

class TypeId {
 public:
  explicit TypeId(const char *name) : m_name(name) {}
  template <class T>
  TypeId SetParent() { return *this; }
  template <class T>
  TypeId AddConstructor() { return *this; }
  std::string GetName() const { return m_name; }

 private:
  std::string m_name;
};

class Object {
 public:
  virtual ~Object() {}
};

class NetDevice : public Object {};

class Node : public Object {
 public:
  Ptr<NetDevice> GetDevice(uint32_t index) const { return Ptr<NetDevice>(devices.at(index)); }
  std::vector<NetDevice *> devices;
};

} /* namespace ns3 */

#endif
