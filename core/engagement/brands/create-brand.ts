import { DomainError } from '../../errors.ts';
import { type Page, type PageRequest, pageOfItems } from '../../ports/paging.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Brand } from './brand.ts';

export interface CreateBrandInput {
  readonly name: string;
  /** Unique; `^[a-z0-9-]+$`. */
  readonly slug: string;
  readonly logoUrl?: string | null | undefined;
}

/** @throws DomainError `CONFLICT` when the slug is taken; exactly one of concurrent calls with one slug succeeds */
export function createBrand(deps: Needs<'brands', 'clock'>) {
  return async ({ name, slug, logoUrl }: CreateBrandInput): Promise<Brand> => {
    const brand = await deps.storage.brands.create({
      name,
      slug,
      logoUrl: logoUrl ?? null,
      createdAt: deps.clock.now(),
    });
    if (brand === null) throw slugTaken(slug);
    return brand;
  };
}

export function slugTaken(slug: string): DomainError {
  return new DomainError('CONFLICT', `The slug "${slug}" is taken.`, { details: { slug } });
}

/** Brands by id, for a caller of one brand this one: a page, or all of them. */
export function listBrands(deps: Needs<'brands'>) {
  return async (only?: number, page?: PageRequest): Promise<Page<Brand>> => {
    if (only === undefined) return deps.storage.brands.list(page);
    const brand = await deps.storage.brands.find(only);
    return pageOfItems(brand === null ? [] : [brand], page);
  };
}
