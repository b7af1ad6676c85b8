/**
 * Outbound connections to addresses that somebody else chose (proof targets, webhook URLs). The guard decides, once and
 * before anything is sent, which addresses a name may be reached at. The caller must connect to one of those and
 * never resolve the name again.
 */

/** An IP address that was checked, in its canonical text form. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A server whose addresses have been checked. */
export interface CheckedServer {
  readonly serverName: string;
  readonly port: number;
  readonly addresses: readonly CheckedAddress[];
}

/**
 * - `host`: not a host name or IP address;
 * - `port`: neither 443 nor configured, and the host is not inside the allow-list;
 * - `address`: an address of the host is neither public unicast nor in the allow-list;
 * - `unresolvable`: the name has no address;
 * - `timeout`: no name server answered in time.
 */
export type EgressRefusal = 'host' | 'port' | 'address' | 'unresolvable' | 'timeout';

/** The guard refused. The message names the host and what to do, never the address it resolves to. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly reason: EgressRefusal;

  constructor(reason: EgressRefusal, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** Decides which addresses may be reached. */
export interface EgressGuard {
  /**
   * Resolves a host and checks **every** address of it; one that is not allowed refuses the host.
   * @param hostname a DNS name or an IP literal in any notation that URLs know (`127.1`, `0x7f.1`, `2130706433`, `[::1]`).
   * @param signal ends the lookup of the name.
   * @returns at least one address, in the resolver's order.
   * @throws EgressRefused; rejects with the signal's reason when that fires.
   */
  resolve(hostname: string, port: number, signal?: AbortSignal): Promise<readonly CheckedAddress[]>;
  /**
   * What can be said of a port before its host is resolved. Says nothing while there is an allow-list, since the host may be
   * inside it.
   * @throws EgressRefused `port` when no host may be reached on it
   */
  checkPort(port: number): void;
}
