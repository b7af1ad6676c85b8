/** The fields of rules for comments. Each label continues one sentence. */
import { Checkbox, Input, Stack, TextInput } from '@mantine/core';
import { CHECKS, type RuleFields } from './comment-rules.ts';
import type { FieldsState } from './form.tsx';
import { NumberFields } from './form-part.tsx';

const COMMAS = 'With commas between';

const NUMBERS = [
  ['mentions', 'mentions at least so many people', 20, 'Not counted: its author, and accounts that published the post'],
  ['minWords', 'has at least so many words', 200],
] as const;

export function RulesFields({ state }: { readonly state: FieldsState<RuleFields> }) {
  const { choice, text } = state;
  return (
    <Stack role="group" aria-label="A comment counts if it">
      <Input.Label component="span">A comment counts if it</Input.Label>
      <TextInput label="has one of these words or phrases" description={COMMAS} {...text('any')} />
      <TextInput label="has all of these words or phrases" description={COMMAS} {...text('all')} />
      <TextInput label="has none of these words or phrases" description={COMMAS} {...text('none')} />
      <TextInput label="has all of these hashtags" description={COMMAS} {...text('hashtags')} />
      <NumberFields of={NUMBERS} state={state} />
      <Checkbox.Group aria-label="and if it" {...choice('checked')}>
        <Stack gap="xs">
          {Object.entries(CHECKS).map(([name, label]) => (
            <Checkbox key={name} value={name} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
