/** A part of a form that is folded: its line says what is set, so that most people never open it. */
import { Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldsState } from './form.tsx';

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
        {title}{' '}
        <Text span c="dimmed" className="break">
          {says}
        </Text>
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

interface NumberFieldsProps<Name extends string> {
  readonly of: readonly (readonly [name: Name, label: string, most: number, about?: string])[];
  readonly state: Pick<FieldsState<{ readonly [One in Name]?: number | undefined }>, 'number'>;
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
      {...state.number(name as never)}
    />
  ));
}
