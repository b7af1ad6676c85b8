import type { Brand } from '../engagement/brands/brand.ts';
import type { Page, PageRequest } from './paging.ts';

/** What can be changed of a brand. */
export type BrandChanges = Partial<Pick<Brand, 'name' | 'slug' | 'logoUrl'>>;

/** What belongs to a brand, counted. */
export interface BrandUses {
  readonly campaigns: number;
  readonly webhooks: number;
}

/** Brands. */
export interface BrandStore {
  /** Returns null when the slug is taken; exactly one of concurrent creates with one slug succeeds. */
  create(brand: Omit<Brand, 'id'>): Promise<Brand | null>;
  /** Null if there is no such brand, or while it is being deleted. */
  find(id: number): Promise<Brand | null>;
  /** By id: a page, or all of them. */
  list(page?: PageRequest): Promise<Page<Brand>>;
  /** Sets what is given, in one write. Null if there is no such brand; `slug-taken`, and nothing changes, if another one has the slug. */
  update(id: number, changes: BrandChanges): Promise<Brand | 'slug-taken' | null>;
  /**
   * Removes a brand without campaigns and webhooks, with its connections; of another one it says what it has. Who creates something for a brand looks for
   * the brand after that, and withdraws what it made if `find` gives null: so nothing is left of a brand that is gone. Ids are not
   * given out again.
   */
  delete(id: number): Promise<'deleted' | 'not-found' | BrandUses>;
}
