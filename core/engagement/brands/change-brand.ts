import { defined } from '../../defined.ts';
import { DomainError, noSuch } from '../../errors.ts';
import type { BrandChanges, BrandUses } from '../../ports/brand-store.ts';
import type { Stores } from '../../ports/storage.ts';
import { type ManageConnectionsDeps, revokeTokens } from '../brand-connections/manage-connections.ts';
import type { Brand } from './brand.ts';
import { slugTaken } from './create-brand.ts';

export interface UpdateBrandInput {
  readonly brandId: number;
  readonly changes: { readonly [Name in keyof BrandChanges]?: BrandChanges[Name] | undefined };
}

/** Changes what is given. @throws DomainError `NOT_FOUND`, or `CONFLICT` when the slug is taken */
export function updateBrand(deps: Stores<'brands'>) {
  return async ({ brandId, changes: { name, slug, logoUrl } }: UpdateBrandInput): Promise<Brand> => {
    const updated = await deps.storage.brands.update(brandId, defined({ name, slug, logoUrl }));
    if (updated === null) throw noSuch('brand', brandId);
    if (updated === 'slug-taken') throw slugTaken(slug ?? '');
    return updated;
  };
}

/** Deletes a brand with its connections. @throws DomainError `NOT_FOUND`, or `CONFLICT` while the brand has campaigns or webhooks */
export function deleteBrand(deps: Pick<ManageConnectionsDeps, 'storage' | 'officialApis' | 'secretBox' | 'logger'>) {
  return async (brandId: number): Promise<void> => {
    const connections = await deps.storage.brandConnections.list({ brandId });
    const outcome = await deps.storage.brands.delete(brandId);
    if (outcome === 'not-found') throw noSuch('brand', brandId);
    if (outcome !== 'deleted') throw inUse(outcome);
    await revokeTokens(deps, connections);
  };
}

function inUse(uses: BrandUses): DomainError {
  const parts = [counted(uses.campaigns, 'campaign'), counted(uses.webhooks, 'webhook')].filter((part) => part !== '');
  return new DomainError('CONFLICT', `The brand has ${parts.join(' and ')}; delete these first.`, {
    details: { ...uses },
  });
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
