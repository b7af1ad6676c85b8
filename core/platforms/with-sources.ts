/** One platform that several sources can read: the operator's own reader, a paid provider, another network. */
import type { OfficialApi } from '../ports/official-api.ts';
import type { Platform } from '../ports/platform.ts';
import type { PlatformAdapter, PlatformContext } from './platform-adapter.ts';
import { createPlatformChain } from './platform-chain.ts';

/** A source of a platform, by name. */
export interface PlatformSourceAdapter {
  /** Marks the cursors of this source: 1 to 20 lower-case letters, unchanged between versions. */
  readonly name: string;
  /** Makes the reader; opens nothing. */
  create(context: PlatformContext): Platform;
}

/**
 * The same platform, read by these sources in order: the next one is asked if one fails (`createPlatformChain`). The adapter's own
 * reader is asked only if it is among them.
 *
 *     withSources(own, [{ name: 'own', create: own.create }, { name: 'provider', create: createPaidReader }]);
 *
 * @throws TypeError for no source
 */
export function withSources(adapter: PlatformAdapter, sources: readonly PlatformSourceAdapter[]): PlatformAdapter {
  const [first, ...others] = sources;
  if (first === undefined) throw new TypeError('A platform needs at least one source.');
  return {
    ...adapter,
    create(context) {
      // One source needs no marks on its cursors.
      if (others.length === 0) return first.create(context);
      const members = sources.map((source) => ({ name: source.name, platform: source.create(context) }));
      return createPlatformChain(members, context);
    },
  };
}

/** The source `official`, which reads the posts of accounts that brands have connected. It closes the API with its reader. */
export function officialSource(api: OfficialApi): PlatformSourceAdapter {
  return {
    name: 'official',
    create(context) {
      const { officialAccounts } = context;
      if (officialAccounts === undefined) throw new TypeError('An official API needs the accounts of an instance.');
      const reader = api.createReader(context, officialAccounts);
      return {
        ...reader,
        async close() {
          await reader.close();
          await api.close();
        },
      };
    },
  };
}
