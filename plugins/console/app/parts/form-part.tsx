/** A part of a form that is folded: its line says what is set, so that most people never open it. */
import { Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldsState } from './fields.ts';

/** Of a part, by the hook that has its fields. */
export interface PartProps<Hook extends (stored?: never) => unknown> {
  readonly of: ReturnType<Hook>;
  /** Why nothing of it can be changed. */
  readonly fixed?: string | undefined;
}

interface FormPartProps {
  readonly title: string;
  /** What is set now, as a sentence. */
  readonly says: string;
  /** Why nothing of it can be changed. */
  readonly fixed?: string | undefined;
  readonly children: ReactNode;
}

/** Opens if something in it is not valid: a browser cannot show that in what is folded. */
export function FormPart({ title, says, fixed, children }: FormPartProps) {
  return (
    <details
      className="part"
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true;
      }}
    >
      <summary>
        {title} <span className="dimmed break">{says}</span>
      </summary>
      <fieldset disabled={fixed !== undefined}>
        <Stack gap="sm">
          {fixed !== undefined && <Text c="dimmed">{fixed}</Text>}
          {children}
        </Stack>
      </fieldset>
    </details>
  );
}

type Numbers<Name extends string> = readonly (readonly [name: Name, label: string, most: number, about?: string])[];

interface NumberFieldsProps<Name extends string> {
  readonly of: Numbers<Name>;
  readonly state: Pick<FieldsState<Record<Name, string>>, 'text'>;
}

export function NumberFields<Name extends string>({ of, state }: NumberFieldsProps<Name>) {
  return of.map(([name, label, most, about]) => (
    <TextInput
      key={name}
      label={label}
      description={about}
      type="number"
      min={1}
      max={most}
      {...state.text(name as never)}
    />
  ));
}

export function textsOf<Name extends string>(of: Numbers<Name>, stored: { readonly [One in Name]?: number } = {}) {
  return Object.fromEntries(of.map(([name]) => [name, String(stored[name] ?? '')])) as Record<Name, string>;
}

/** Of the fields that are not empty. */
export function numbersOf<Name extends string>(of: Numbers<Name>, fields: Readonly<Record<Name, string>>) {
  const given = of.filter(([name]) => fields[name] !== '');
  return Object.fromEntries(given.map(([name]) => [name, Number(fields[name])])) as { readonly [One in Name]?: number };
}
