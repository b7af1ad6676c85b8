/** Filters a list by one of the names of the API. */
import { Select, type SelectProps } from '@mantine/core';
import { term } from './format.tsx';

interface FilterSelectProps extends Omit<SelectProps, 'data' | 'value'> {
  readonly names: readonly string[];
  /** The empty text for all of them. */
  readonly value: string;
}

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
