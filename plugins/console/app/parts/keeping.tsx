/** How long a comment or like must be kept: the fields of a form, and in words. */
import type { CampaignDetail } from '@credence/client';
import { Checkbox, Fieldset, Stack, TextInput } from '@mantine/core';
import { type FieldsState, useFields } from './fields.ts';

type Terms = NonNullable<CampaignDetail['terms']>;
/** A draw is given when the campaign is created, and stays. */
type Keeping = Omit<Terms, 'draw'>;

const DAYS = [
  ['holdDays', 'Days until the reward', 'The comment or like must still be there. Empty: the reward comes at once'],
  ['recheckDays', 'Days after the reward', 'Then it is looked for once more. Empty: it is not'],
] as const;

interface Fields {
  readonly holdDays: string;
  readonly recheckDays: string;
  readonly reverseOnRemoval: boolean;
}

/** The fields of a form. `terms` has what else is stored as well; null if there is nothing. */
export function useKeeping(stored: Terms | null | undefined) {
  const state = useFields<Fields>({
    holdDays: String(stored?.holdDays ?? ''),
    recheckDays: String(stored?.recheckDays ?? ''),
    reverseOnRemoval: stored?.reverseOnRemoval === true,
  });
  const terms = termsOf(stored ?? {}, state.fields);
  return { state, terms, isChanged: JSON.stringify(state.fields) !== JSON.stringify(state.initial) };
}

function termsOf({ draw, holdDays, recheckDays, reverseOnRemoval, ...others }: Terms, fields: Fields): Keeping | null {
  const terms: Keeping = {
    ...others,
    ...(fields.holdDays !== '' && { holdDays: Number(fields.holdDays) }),
    ...(fields.recheckDays !== '' && { recheckDays: Number(fields.recheckDays) }),
    ...(fields.reverseOnRemoval && { reverseOnRemoval: true }),
  };
  return Object.keys(terms).length === 0 ? null : terms;
}

interface KeepingFieldsProps {
  readonly state: FieldsState<Fields>;
  /** Why nothing of it can be changed. */
  readonly fixed?: string | undefined;
}

export function KeepingFields({ state: { fields, set, text }, fixed }: KeepingFieldsProps) {
  return (
    <Fieldset legend="How long it must be kept" disabled={fixed !== undefined}>
      <Stack gap="sm">
        {DAYS.map(([name, label, description]) => (
          <TextInput
            key={name}
            label={label}
            description={fixed ?? description}
            type="number"
            min={1}
            max={365}
            step={1}
            {...text(name)}
          />
        ))}
        <Checkbox
          label="Take the points back if it is gone after the reward"
          checked={fields.reverseOnRemoval}
          onChange={({ currentTarget }) => set('reverseOnRemoval', currentTarget.checked)}
        />
      </Stack>
    </Fieldset>
  );
}

/** Null if nothing must be kept. */
export function keepingText({ holdDays, recheckDays, reverseOnRemoval }: Terms): string | null {
  const parts = [
    ...(holdDays === undefined ? [] : [`${holdDays} days until the reward`]),
    ...(recheckDays === undefined ? [] : [`${recheckDays} days after it`]),
    ...(reverseOnRemoval ? ['else the points are taken back'] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
