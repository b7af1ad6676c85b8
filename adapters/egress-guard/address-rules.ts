import ipaddr from 'ipaddr.js';
import type { CheckedAddress } from '../../core/ports/egress.ts';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR notation, parsed. */
export type Cidr = readonly [Address, number];

/** The only IPv6 block from which global unicast addresses are given out; the rest is special or unassigned. */
const GLOBAL_UNICAST_V6: Cidr = [ipaddr.IPv6.parse('2000::'), 3];

/** Length of the prefix `::ffff:0:0` under which IPv6 writes IPv4 addresses. */
const MAPPED_PREFIX = 96;

/** Parses `10.0.0.0/8` or `fd00::/8`; a network of IPv4-mapped addresses becomes the IPv4 one. Null when malformed. */
export function parseCidr(text: string): Cidr | null {
  if (!ipaddr.isValidCIDR(text)) return null;
  const [address, bits] = ipaddr.parseCIDR(text);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_PREFIX) {
    return [address.toIPv4Address(), bits - MAPPED_PREFIX];
  }
  return [address, bits];
}

/** In every notation, an IPv4 address begins with a digit, and an IPv6 address has a colon. */
const MAY_BE_ADDRESS = /^\d|:/;

/** Parses an IP address; an IPv4-mapped one becomes IPv4, since that is where a connection to it goes. Null if none. */
export function parseAddress(text: string): Address | null {
  // The library throws and catches an error for what is none: a third of a millisecond for every name.
  if (!MAY_BE_ADDRESS.test(text)) return null;
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** True when the address is in the network; never across IPv4 and IPv6. */
export function isIn(address: Address, [network, bits]: Cidr): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/**
 * True for addresses that belong to the public internet and to one host. Everything special is not: private, loopback,
 * link-local, carrier NAT, multicast, documentation. Nor are the IPv6 forms that carry an IPv4 address to a translator
 * (NAT64, 6to4, Teredo), since that address could be any.
 */
export function isPublicUnicast(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isIn(address, GLOBAL_UNICAST_V6);
}

export function toChecked(address: Address): CheckedAddress {
  return { address: address.toString(), family: address.kind() === 'ipv4' ? 4 : 6 };
}
