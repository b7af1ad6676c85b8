import type { Brand } from '../engagement/brands/brand.ts';
import type { Page, PageRequest } from './paging.ts';

/** Brands. */
export interface BrandStore {
  /** Returns null when the slug is taken; exactly one of concurrent creates with one slug succeeds. */
  create(brand: Omit<Brand, 'id'>): Promise<Brand | null>;
  /** Null if there is no such brand. */
  find(id: number): Promise<Brand | null>;
  /** By id: a page, or all of them. */
  list(page?: PageRequest): Promise<Page<Brand>>;
}
