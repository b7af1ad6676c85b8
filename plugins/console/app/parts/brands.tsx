/** Brands by name. Tokens of role `client` may not list them. */
import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session.tsx';

export function useBrands() {
  const { client, caller } = useSession();
  return useQuery({
    queryKey: ['brands'],
    queryFn: ({ signal }) => client.brands.list({}, { signal }),
    enabled: caller.role === 'admin' || caller.role === 'brand',
  });
}

/** The name of a brand, or its number while the name is not known. */
export function useBrandName(): (id: number) => string {
  const { data } = useBrands();
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `Brand ${id}`;
}

/** Chooses one of the brands that the token may see. */
export function BrandSelect(props: Omit<SelectProps, 'data'>) {
  const { data = [] } = useBrands();
  return (
    <Select
      label="Brand"
      searchable
      data={data.map(({ id, name }) => ({ value: String(id), label: name }))}
      comboboxProps={{ withinPortal: true }}
      {...props}
    />
  );
}
