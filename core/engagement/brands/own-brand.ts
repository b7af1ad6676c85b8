/** What belongs to a brand, and what is told to a caller of another one: that it is not there. */
import { noSuch } from '../../errors.ts';
import type { BrandStore } from '../../ports/brand-store.ts';
import type { Stores } from '../../ports/storage.ts';

/** Something that belongs to one brand, or to none if it does not exist. */
export type BrandTarget =
  | { readonly brandId: number }
  | { readonly campaignId: number }
  | { readonly challengeId: number };

/** Lets a brand reach its own only. */
export type RequireOwn = (brandId: number, target: BrandTarget) => Promise<void>;

/**
 * Passes if the target belongs to the brand. What belongs to another brand and what does not exist is refused in the same words,
 * so that nobody learns which ids exist. A campaign keeps its brand for good, so that nothing changes after the check.
 * @throws DomainError `NOT_FOUND`
 */
export function requireOwn(deps: Stores<'campaigns'>): RequireOwn {
  const { campaigns } = deps.storage;
  return async (brandId, target) => {
    if ('brandId' in target) {
      if (target.brandId !== brandId) throw noSuch('brand', target.brandId);
    } else if ('campaignId' in target) {
      const found = await campaigns.find(target.campaignId);
      if (found?.campaign.brandId !== brandId) throw noSuch('campaign', target.campaignId);
    } else {
      const found = await campaigns.find({ challengeId: target.challengeId });
      if (found?.campaign.brandId !== brandId) throw noSuch('challenge', target.challengeId);
    }
  };
}

/** @throws DomainError `NOT_FOUND` */
export async function requireBrand(brands: Pick<BrandStore, 'find'>, brandId: number): Promise<void> {
  if ((await brands.find(brandId)) === null) throw noSuch('brand', brandId);
}

/**
 * Withdraws what was created for a brand that was deleted meanwhile.
 * @throws DomainError `NOT_FOUND`
 */
export async function keepIfBrandStands(
  brands: Pick<BrandStore, 'find'>,
  brandId: number,
  withdraw: () => Promise<unknown>,
): Promise<void> {
  if ((await brands.find(brandId)) !== null) return;
  await withdraw();
  throw noSuch('brand', brandId);
}
