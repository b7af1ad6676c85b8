/**
 * Looks names up without threads. Node's `dns.lookup` holds one of the few threads of the process until the name server
 * answers, and cannot be stopped. A caller who names slow name servers would keep all other names from being found.
 */
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** One address of a name. */
export interface FoundAddress {
  /** IPv4 or IPv6, as text. */
  readonly address: string;
}

/**
 * Finds all addresses of a name.
 * @param signal ends the lookup and frees everything that it holds
 * @throws an error with `code: 'ETIMEOUT'` if no name server answered
 */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly FoundAddress[]>;

/** What `createNameLookup` takes. */
export interface NameLookupOptions {
  /** Lines of an address and its names, read at each lookup; the system's by default. */
  readonly hostsFile?: string;
  /** Name servers with their ports instead of those of the system, such as `127.0.0.1:53`. */
  readonly servers?: readonly string[];
  /** How long the first question to a name server waits; the second and last one waits longer. */
  readonly attemptMs?: number;
}

const SYSTEM_HOSTS_FILE =
  process.platform === 'win32' ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : '/etc/hosts';
const ATTEMPTS = 2;
const LOOPBACK: readonly FoundAddress[] = [{ address: '127.0.0.1' }, { address: '::1' }];

/** Reads the hosts file, then asks DNS for the full name. Search domains and other sources of the system are not used. */
export function createNameLookup(options: NameLookupOptions = {}): Lookup {
  const { hostsFile = SYSTEM_HOSTS_FILE, servers, attemptMs = 1_500 } = options;
  return async (hostname, signal) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const listed = listedAddresses(await readFile(hostsFile, 'utf8').catch(() => ''), name);
    if (listed.length > 0) return listed;
    // RFC 6761: these names never go to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: attemptMs, tries: ATTEMPTS });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return foundAddresses(await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function listedAddresses(hosts: string, name: string): readonly FoundAddress[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    return names.some((listed) => listed.toLowerCase() === name) ? [{ address }] : [];
  });
}

/** A name may have addresses of one family only, so one answer is enough. */
function foundAddresses(answers: readonly PromiseSettledResult<readonly string[]>[]): readonly FoundAddress[] {
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found.map((address) => ({ address }));
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  throw failures.find(isLookupTimeout) ?? failures[0] ?? new Error('the name has no addresses');
}

/** True if no name server answered in time. */
export function isLookupTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEOUT';
}
