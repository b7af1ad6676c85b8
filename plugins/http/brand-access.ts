/** What a token of one brand may do: each row of the route table says it in its field `brand`. */
import type { Caller } from '../../core/access/token.ts';
import type { BrandTarget, RequireOwn } from '../../core/engagement/brands/own-brand.ts';
import { DomainError } from '../../core/errors.ts';

/**
 * `none`: the row refuses tokens of one brand. `any`: it tells of no brand. `own-rows`: its handler lists what belongs to
 * the brand alone. A function: it names what the request is about; if another brand has this, the answer is as if it did not exist.
 */
export type BrandRule<Input> = 'none' | 'any' | 'own-rows' | ((input: Input) => BrandTarget);

/**
 * The brand of a caller that is bound to one; null for every other caller.
 * @throws DomainError `FORBIDDEN` for a role `brand` without a brand, and for a brand with another role
 */
export function brandOf({ role, brandId = null }: Pick<Caller, 'role' | 'brandId'>): number | null {
  if ((role === 'brand') === (brandId !== null)) return brandId;
  throw new DomainError(
    'FORBIDDEN',
    'A caller has a `brandId` exactly if its role is `brand`: fix what identifies it.',
  );
}

/** Refuses before the body is read. @throws DomainError `FORBIDDEN` */
export function checkBrandRule({ brand = 'none' }: { readonly brand?: BrandRule<never> }): void {
  if (brand === 'none') throw new DomainError('FORBIDDEN', 'This route is not for tokens of one brand.');
}

/**
 * Refuses a caller of one brand what is not its own; undefined if nothing has to be looked up.
 * @throws DomainError `NOT_FOUND`, or `FORBIDDEN` if the row is not for such callers
 */
export function checkBrandAccess<Input extends { readonly caller: Caller | null }>(
  { brand = 'none' }: { readonly brand?: BrandRule<Input> },
  input: Input,
  requireOwn: RequireOwn,
): Promise<void> | undefined {
  const own = input.caller === null ? null : brandOf(input.caller);
  if (own === null) return undefined;
  if (brand === 'none') checkBrandRule({ brand });
  return typeof brand === 'function' ? requireOwn(own, brand(input)) : undefined;
}

/** Rules of rows whose path names a brand, a campaign or a challenge. */
export const ofBrand: BrandRule<{ readonly params: { readonly brandId: number } }> = ({ params: { brandId } }) => ({
  brandId,
});
export const ofCampaign: BrandRule<{ readonly params: { readonly id: number } }> = ({ params: { id } }) => ({
  campaignId: id,
});
export const ofChallenge: BrandRule<{ readonly params: { readonly challengeId: number } }> = ({
  params: { challengeId },
}) => ({ challengeId });

/** The filter of a list for its caller: the own brand, or everything. */
export function ownRows(caller: Caller | null): { readonly brandId?: number } {
  const brandId = caller === null ? null : brandOf(caller);
  return brandId === null ? {} : { brandId };
}

/** Whether the caller is bound to one brand. */
export function isBrand(caller: Caller | null): boolean {
  return caller !== null && brandOf(caller) !== null;
}

/** Where nothing tells what belongs to whom, callers of one brand reach nothing. */
export const ownsNothing: RequireOwn = async () => {
  throw new DomainError('FORBIDDEN', 'This route is not for tokens of one brand.');
};
