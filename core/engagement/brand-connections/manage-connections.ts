/** Listing and ending the connections of a brand. */
import { DomainError } from '../../errors.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { Storage } from '../../ports/storage.ts';
import { requireBrand } from '../brands/own-brand.ts';
import { type BrandConnection, openTokens } from './brand-connection.ts';
import type { RenewConnectionsDeps } from './renew-connections.ts';

export interface ManageConnectionsDeps extends RenewConnectionsDeps {
  readonly storage: Pick<Storage, 'brands' | 'brandConnections'>;
}

/** An account that a brand has connected, or one of the configuration, which is no connection of the storage. */
export type ListedConnection =
  | (BrandConnection & { readonly source: 'connected' })
  | ({ readonly id: null; readonly source: 'configuration'; readonly status: 'active' } & Pick<
      BrandConnection,
      'platform' | 'accountId' | 'handle'
    >);

/** Those of the configuration first, then by id. @throws DomainError `NOT_FOUND` */
export function listConnections(deps: ManageConnectionsDeps) {
  const { storage, officialApis } = deps;
  return async (brandId: number): Promise<readonly ListedConnection[]> => {
    await requireBrand(storage.brands, brandId);
    const configured = [...officialApis].flatMap(([platform, { accounts }]) =>
      accounts
        .filter((account) => account.brandId === brandId)
        .map(({ accountId, handle }) => ({ platform, accountId, handle })),
    );
    return [
      ...configured.map((one) => ({ ...one, id: null, source: 'configuration', status: 'active' }) as const),
      ...(await storage.brandConnections.list({ brandId })).map((one) => ({ ...one, source: 'connected' }) as const),
    ];
  };
}

/** Gives the tokens back to the platform, as far as that is possible, and forgets them. @throws DomainError `NOT_FOUND` */
export function disconnectAccount(deps: ManageConnectionsDeps) {
  return async (brandId: number, connectionId: number): Promise<void> => {
    const connection = await deps.storage.brandConnections.find(connectionId);
    const isOwn = connection?.brandId === brandId;
    if (!isOwn || !(await deps.storage.brandConnections.delete(brandId, connectionId))) {
      throw new DomainError('NOT_FOUND', `Brand ${brandId} has no connection ${connectionId}.`);
    }
    await revokeTokens(deps, [connection]);
  };
}

/** Never rejects: the platform may be out of reach, and its tokens end some day. */
export async function revokeTokens(
  deps: Pick<ManageConnectionsDeps, 'officialApis' | 'secretBox' | 'logger'>,
  connections: readonly BrandConnection[],
): Promise<void> {
  for (const connection of connections) {
    const { id: connectionId, platform }: { id: number; platform: PlatformName } = connection;
    try {
      await deps.officialApis.get(platform)?.revoke(openTokens(deps.secretBox, connection));
    } catch (err) {
      deps.logger.warn({ err, connectionId, platform }, 'the tokens of a connection that is gone were not revoked');
    }
  }
}
