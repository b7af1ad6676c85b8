/** A platform as a value: what it is, and how to make what reads it. */
import type { AdapterContext } from '../ports/adapter-values.ts';
import type { OfficialAccounts, OfficialApi } from '../ports/official-api.ts';
import type { Platform } from '../ports/platform.ts';
import type { UsageStore } from '../ports/usage-store.ts';
import type { PlatformDescriptor } from './descriptor.ts';

/** What an instance lends to the readers of its platforms. */
export interface PlatformContext extends AdapterContext {
  /** The accounts that brands have connected, for the readers of official APIs. */
  readonly officialAccounts?: OfficialAccounts;
  /** Counts what all processes spend together, for readers that pay for their answers. */
  readonly usage?: UsageStore;
}

/** A platform as a value: what it is, and how it is read. */
export interface PlatformAdapter {
  readonly descriptor: PlatformDescriptor;
  /**
   * Makes the reader, whose `name` is the descriptor's. Called once for each instance, and opens nothing: the first call of the
   * reader may. The instance closes it.
   */
  create(context: PlatformContext): Platform;
  /** The platform's own API for accounts that brands connect, if it is set up. */
  readonly official?: OfficialApi;
  /**
   * How many lookups of all batches together may ask the reader at a time. Set more if the reader keeps to a pace of its own: most
   * lookups only wait for it then.
   * @default 16
   */
  readonly maxConcurrentLookups?: number;
}
