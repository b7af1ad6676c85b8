/** The one guard against server-side request forgery: every outbound connection to a foreign URL goes through it. */
import type { Agent } from 'undici';
import { z } from 'zod';
import { type CheckedAddress, type EgressGuard, EgressRefused } from '../../core/ports/egress.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { type Address, isIn, isPublicUnicast, parseAddress, parseCidr, toChecked } from './address-rules.ts';
import { cloudServiceOf } from './cloud-services.ts';
import type { GuardedAgentOptions } from './guarded-agent.ts';
import { createNameLookup, type FoundAddress, isLookupTimeout, type Lookup } from './name-lookup.ts';

export { connectChecked } from './connect.ts';
export type { GuardedAgentOptions } from './guarded-agent.ts';
export { createNameLookup, type Lookup, type NameLookupOptions } from './name-lookup.ts';

const cidr = z
  .union([z.cidrv4(), z.cidrv6()], 'must be a CIDR such as 10.0.0.0/8')
  .refine((text) => parseCidr(text) !== null, 'must be a CIDR such as 10.0.0.0/8');

/** Checks `EgressGuardOptions` and fills in the defaults. */
export const egressGuardOptions = z.strictObject({
  /**
   * Networks (CIDR) reachable although not public, on any port: `EGRESS_ALLOW`. Services of clouds for their own machines
   * (metadata, credentials) stay closed to wider networks: name them exactly to open them.
   * @default []
   */
  allow: z.array(cidr).default([]),
  /** Ports beside 443 on which public addresses may be reached: `EGRESS_PORTS`. @default [] */
  ports: z.array(z.int().min(1).max(65535)).default([]),
  /** This port and all above it are open too. */
  portsFrom: z.int().min(1).max(65535).optional(),
  /** Must not hold threads that others need: callers choose names whose name servers never answer. */
  lookup: z.custom<Lookup>((value) => typeof value === 'function').optional(),
  /** @default 5_000 */
  lookupTimeoutMs: z.int().min(1).max(60_000).default(5_000),
});

/** What `createEgressGuard` takes: the networks and ports that may be reached besides public addresses on 443. */
export type EgressGuardOptions = z.input<typeof egressGuardOptions>;

/** A name with more addresses than this is refused: nobody needs them, and each must be checked. */
const MAX_ADDRESSES = 64;

/** DNS limits a name to 253 characters; one more for a trailing dot. */
const MAX_HOST_LENGTH = 254;

/** Characters that would end the host part of a URL; behind them could hide another host. */
const NOT_IN_A_HOST = /[\s/\\?#@%<>^|]/;

/**
 * Makes a guard for outbound connections (protection from SSRF).
 * @throws ZodError for invalid options
 */
export function createEgressGuard(input: EgressGuardOptions = {}): EgressGuard {
  const options = egressGuardOptions.parse(input);
  const allowed = options.allow.map(parseCidr).filter((cidr) => cidr !== null);
  const ports = new Set([443, ...options.ports]);
  const { portsFrom = Number.POSITIVE_INFINITY } = options;
  const isOpen = (port: number) => ports.has(port) || port >= portsFrom;
  const openPorts = [...ports, ...(options.portsFrom === undefined ? [] : [`${options.portsFrom} and above`])];
  const notOpen = (what: string) => {
    const advice = 'Name others in EGRESS_PORTS (`egress.ports`).';
    const message = `${what} is not open to outbound requests; allowed: ${openPorts.join(', ')}. ${advice}`;
    return new EgressRefused('port', message);
  };
  const lookup = options.lookup ?? createNameLookup();

  const isListed = (address: Address) => {
    const [, leastBits] = cloudServiceOf(address) ?? [null, 0];
    return allowed.some((network) => network[1] >= leastBits && isIn(address, network));
  };

  async function addressesOf(host: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    signal?.throwIfAborted();
    const literal = host.startsWith('[') ? host.slice(1, -1) : host;
    if (parseAddress(literal) !== null) return [literal];
    const limit = AbortSignal.timeout(options.lookupTimeoutMs);
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    let found: readonly FoundAddress[];
    try {
      // In time, also if the lookup itself does not look at its signal.
      found = await untilAborted(lookup(host, either), either);
    } catch (cause) {
      signal?.throwIfAborted();
      if (limit.aborted || isLookupTimeout(cause)) {
        const message = `The name servers of ${host} did not answer in time; try again later.`;
        throw new EgressRefused('timeout', message, cause);
      }
      throw new EgressRefused('unresolvable', `The host ${host} cannot be resolved; check its name.`, cause);
    }
    if (found.length === 0 || found.length > MAX_ADDRESSES) {
      throw new EgressRefused(
        'unresolvable',
        `The host ${host} has ${found.length === 0 ? 'no' : 'too many'} addresses.`,
      );
    }
    return found.map(({ address }) => address);
  }

  return {
    async resolve(hostname, port, signal) {
      assertPort(port);
      const host = canonicalHost(hostname);
      const checked: CheckedAddress[] = [];
      let everyAllowed = true;
      for (const text of await addressesOf(host, signal)) {
        const address = parseAddress(text);
        const listed = address !== null && isListed(address);
        if (address === null || (!listed && !isOpenToAll(address))) {
          throw new EgressRefused(
            'address',
            `The host ${host} is not on the public internet. To reach your own network, name it in EGRESS_ALLOW (\`egress.allow\`).`,
          );
        }
        everyAllowed &&= listed;
        checked.push(toChecked(address));
      }
      if (!isOpen(port) && !everyAllowed) {
        throw notOpen(`Port ${port} of ${host}`);
      }
      return checked;
    },

    checkPort(port) {
      assertPort(port);
      if (isOpen(port) || allowed.length > 0) return;
      throw notOpen(`Port ${port}`);
    },
  };
}

/** URLs may name port 0, which no connection can reach. */
function assertPort(port: number): void {
  if (port > 0 && port <= 65_535) return;
  throw new EgressRefused('port', `Port ${port} cannot be connected to; use a port from 1 to 65535.`);
}

function isOpenToAll(address: Address): boolean {
  return isPublicUnicast(address) && cloudServiceOf(address) === undefined;
}

/**
 * The host as connections and certificates know it. An IPv4 address has many notations: octal, hexadecimal, one number,
 * full-width digits. The URL parser brings them all to four decimals, so the address checked is the address connected to.
 */
function canonicalHost(hostname: string): string {
  const bracketed = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  const fits = hostname.length > 0 && hostname.length <= MAX_HOST_LENGTH && !NOT_IN_A_HOST.test(hostname);
  const url = fits && URL.canParse(`http://${bracketed}/`) ? new URL(`http://${bracketed}/`) : null;
  // A port or a path that comes out means that more than a host went in.
  if (url === null || url.host !== url.hostname || url.pathname !== '/' || url.hostname === '') {
    throw new EgressRefused('host', 'The host is neither a DNS name nor an IP address.');
  }
  return url.hostname;
}

/**
 * An undici agent whose every connection goes to an address that the guard has just checked. The name is resolved once,
 * the socket is pinned to the answer. A refusal rejects the request with `EgressRefused`. The certificate is checked for
 * the name, as usual.
 */
export async function createGuardedAgent(guard: EgressGuard, options: GuardedAgentOptions): Promise<Agent> {
  // By the first that sends something: a start does without the HTTP client.
  const { openGuardedAgent } = await import('./guarded-agent.ts');
  return openGuardedAgent(guard, options);
}
