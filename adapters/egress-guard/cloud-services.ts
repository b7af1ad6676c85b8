/** Addresses at which clouds serve their tenants' machines: metadata, credentials, agents. */
import ipaddr from 'ipaddr.js';
import { type Address, type Cidr, isIn, parseCidr } from './address-rules.ts';

/** Some are public, and the private ones may lie in a network that an operator opens. */
const SERVICES: readonly Cidr[] = [
  '169.254.0.0/16', // metadata of nearly all, at .169.254 and others
  'fe80::/10', // the same in IPv6
  '168.63.129.16/32', // Azure, WireServer; public
  '192.80.8.124/32', // Equinix Metal (Packet); public
  '161.26.0.0/16', // IBM Cloud, infrastructure; public
  '166.8.0.0/14', // IBM Cloud, service endpoints; public
  '100.100.100.200/32', // Alibaba Cloud
  'fd00:100::100:200/128',
  '100.88.222.5/32', // Tencent Cloud
  '192.0.0.192/32', // Oracle Cloud
  'fd00:c1::a9fe:a9fe/128',
  'fd00:ec2::/32', // AWS: metadata at ::254, pod identity at ::23, DNS, time
  'fd20:ce::254/128', // Google Cloud
  'fd00:42::42/128', // Scaleway
  'fd00:a9fe:a9fe::1/128', // Akamai (Linode)
]
  .map(parseCidr)
  .filter((network) => network !== null);

/** Where IPv6 addresses carry an IPv4 address to a translator or tunnel, with the byte at which it starts. */
const CARRIERS: readonly (readonly [string, number])[] = [
  ['64:ff9b::/96', 12], // NAT64
  ['64:ff9b:1::/96', 12], // NAT64, local prefix
  ['2002::/16', 2], // 6to4
  ['::ffff:0:0:0/96', 12], // SIIT
  ['::/96', 12], // IPv4-compatible
];

/**
 * The cloud service network that a connection to the address would reach, itself or behind a translator. It is opened only
 * by a CIDR that lies within it, never by a wider one.
 */
export function cloudServiceOf(address: Address): Cidr | undefined {
  const direct = SERVICES.find((network) => isIn(address, network));
  if (direct !== undefined || address instanceof ipaddr.IPv4) return direct;
  const carrier = CARRIERS.find(([prefix]) => isIn(address, ipaddr.IPv6.parseCIDR(prefix)));
  if (carrier === undefined) return undefined;
  const carried = new ipaddr.IPv4(address.toByteArray().slice(carrier[1], carrier[1] + 4));
  return SERVICES.some((network) => isIn(carried, network)) ? [address, 128] : undefined;
}
