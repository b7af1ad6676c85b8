/** Brands by name. Tokens of role `client` may not list them. */
import { Select, type SelectProps } from '@mantine/core';
import { useSession } from '../session.tsx';
import { describe } from './failure.tsx';
import { useRead } from './reads.tsx';

export function useBrands() {
  const { caller } = useSession();
  return useRead('brands.list', {}, { enabled: caller.role === 'admin' || caller.role === 'brand' });
}

/** The name of a brand, or its number while the name is not known. */
export function useBrandName(): (id: number) => string {
  const { data } = useBrands();
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `Brand ${id}`;
}

export function BrandName({ id }: { readonly id: number }) {
  return useBrandName()(id);
}

/** Chooses one of the brands that the token may see. */
export function BrandSelect(props: Omit<SelectProps, 'data'>) {
  const { data, error } = useBrands();
  return (
    <Select
      label="Brand"
      searchable
      data={data?.map(({ id, name }) => ({ value: String(id), label: name }))}
      error={data === undefined && error && `The brands could not be read. ${describe(error)}`}
      {...props}
    />
  );
}
