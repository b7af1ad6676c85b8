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

/** Where IPv6 addresses carry an IPv4 address to a translator or tunnel: the bytes that are its parts, in order. */
interface Carrier {
  readonly network: Cidr | null;
  readonly places: readonly (readonly number[])[];
  /** Every bit of the IPv4 address is inverted. */
  readonly isInverted?: boolean;
}

const LAST_FOUR = [12, 13, 14, 15];
/** RFC 6052, section 2.2, by the length of the prefix; byte 8 is always zero. */
const BEHIND_48 = [6, 7, 9, 10];
const BEHIND_56 = [7, 9, 10, 11];
const BEHIND_64 = [9, 10, 11, 12];

const CARRIERS: readonly Carrier[] = [
  // NAT64.
  { network: parseCidr('64:ff9b::/96'), places: [LAST_FOUR] },
  // NAT64, local prefixes: RFC 8215 leaves their length to the operator.
  { network: parseCidr('64:ff9b:1::/48'), places: [BEHIND_48, BEHIND_56, BEHIND_64, LAST_FOUR] },
  // 6to4.
  { network: parseCidr('2002::/16'), places: [[2, 3, 4, 5]] },
  // Teredo, RFC 4380, section 4: the client.
  { network: parseCidr('2001::/32'), places: [LAST_FOUR], isInverted: true },
  // SIIT.
  { network: parseCidr('::ffff:0:0:0/96'), places: [LAST_FOUR] },
  // IPv4-compatible.
  { network: parseCidr('::/96'), places: [LAST_FOUR] },
];

/**
 * The cloud service network that a connection to the address would reach, itself or behind a translator. It is opened only
 * by a CIDR that lies within it, never by a wider one.
 */
export function cloudServiceOf(address: Address): Cidr | undefined {
  const direct = SERVICES.find((network) => isIn(address, network));
  if (direct !== undefined || address instanceof ipaddr.IPv4) return direct;
  return carriedBy(address).some((carried) => SERVICES.some((network) => isIn(carried, network)))
    ? [address, 128]
    : undefined;
}

/** The IPv4 addresses that an IPv6 address may carry. */
function carriedBy(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  return CARRIERS.filter(({ network }) => network !== null && isIn(address, network)).flatMap(
    ({ places, isInverted }) =>
      places.map((place) => {
        const parts = place.map((at) => bytes[at] ?? 0);
        return new ipaddr.IPv4(isInverted === true ? parts.map((part) => part ^ 0xff) : parts);
      }),
  );
}
