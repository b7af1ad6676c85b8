/** Filters of a list. */
import { Select, type SelectProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { type FieldsState, stateOf } from './form.tsx';
import { term } from './format.tsx';
import { currentPath, replaceSearch, searchOfAddress } from './location.ts';

/** While somebody types, the address is not changed at every key: browsers refuse that after a while. */
const CALM_MS = 300;

/** Filters: they are in the address too, so Back, a reload and a link restore them. An empty text is no filter. */
export function useFilters<Name extends string>(names: readonly Name[]): FieldsState<Readonly<Record<Name, string>>> {
  const recordOf = (read: (name: Name) => string) =>
    Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
  const ofAddress = (search = searchOfAddress()) => recordOf((name) => search.get(name) ?? '');
  const state = useState(() => ofAddress());
  const [fields, setFields] = state;
  // An address that is pasted over another one, and the way back. The page stays the same then.
  useWindowEvent('hashchange', () => setFields(ofAddress()));
  const wanted = JSON.stringify(fields);
  useEffect(() => {
    const page = currentPath();
    const timer = setTimeout(() => {
      // While the next page loads, this one is still there.
      if (currentPath() !== page) return;
      const search = searchOfAddress();
      const before = search.toString();
      for (const [name, value] of Object.entries<string>(JSON.parse(wanted))) {
        if (value === '') search.delete(name);
        else search.set(name, value);
      }
      if (search.toString() !== before) replaceSearch(search);
    }, CALM_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return stateOf(
    recordOf(() => ''),
    state,
  );
}

interface FilterSelectProps extends Omit<SelectProps, 'data' | 'value'> {
  readonly names: readonly string[];
  /** The empty text for all of them. */
  readonly value: string;
}

/** Filters by one of the names of the API. */
export function FilterSelect({ names, value, clearable = true, ...select }: FilterSelectProps) {
  return (
    <Select
      placeholder="All"
      clearable={clearable}
      allowDeselect={clearable}
      data={names.map((name) => ({ value: name, label: term(name) }))}
      value={value || null}
      {...select}
    />
  );
}
