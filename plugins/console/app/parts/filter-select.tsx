/** Filters a list by one of the names of the API. */
import { Select } from '@mantine/core';
import { term } from './terms.ts';

interface FilterSelectProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string | undefined;
  /** Told the empty text for all of them. */
  readonly onChange: (name: string) => void;
}

export function FilterSelect({ label, names, value, onChange }: FilterSelectProps) {
  return (
    <Select
      label={label}
      placeholder="All"
      clearable
      data={names.map((name) => ({ value: name, label: term(name) }))}
      value={value ?? null}
      onChange={(name) => onChange(name ?? '')}
    />
  );
}
