/** What a campaign pays at most: the fields of a form, and in words. */
import type { CampaignDetail } from '@credence/client';
import { Fieldset, Stack, TextInput } from '@mantine/core';
import { type FieldsState, useFields } from './fields.ts';
import { number } from './format.tsx';

type Limits = NonNullable<CampaignDetail['limits']>;

const FIELDS = [
  ['maxRewards', 'Rewards', 100_000],
  ['pointsBudget', 'Points in all', 1_000_000_000_000],
  ['pointsPerCreatorAndDay', 'Points for a creator in a day (UTC)', 1_000_000_000_000],
] as const;

type Fields = Readonly<Record<(typeof FIELDS)[number][0], string>>;

export function useLimits(stored: Limits | null | undefined) {
  const textOf = (name: keyof Fields) => String(stored?.[name] ?? '');
  const state = useFields<Fields>({
    maxRewards: textOf('maxRewards'),
    pointsBudget: textOf('pointsBudget'),
    pointsPerCreatorAndDay: textOf('pointsPerCreatorAndDay'),
  });
  const given = FIELDS.filter(([name]) => state.fields[name] !== '');
  const limits: Limits = Object.fromEntries(given.map(([name]) => [name, Number(state.fields[name])]));
  const isChanged = FIELDS.some(([name]) => state.fields[name] !== state.initial[name]);
  return { state, limits: given.length === 0 ? null : limits, isChanged };
}

interface LimitsFieldsProps {
  readonly state: FieldsState<Fields>;
  /** Why nothing of it can be changed. */
  readonly fixed?: string | undefined;
}

export function LimitsFields({ state: { text }, fixed }: LimitsFieldsProps) {
  return (
    <Fieldset legend="What it pays at most" disabled={fixed !== undefined}>
      <Stack gap="sm">
        {FIELDS.map(([name, label, most]) => (
          <TextInput
            key={name}
            label={label}
            description={fixed ?? 'Empty: no limit'}
            type="number"
            min={1}
            max={most}
            step={1}
            {...text(name)}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

/** With what of it is paid already. */
export function limitsText(
  { maxRewards, pointsBudget, pointsPerCreatorAndDay: daily }: Limits,
  used: CampaignDetail['limitsUsed'],
): string {
  const of = (count: number | undefined) => (count === undefined ? '' : `${number(count)} of `);
  const parts = [
    ...(maxRewards === undefined ? [] : [`${of(used?.rewards)}${number(maxRewards)} rewards`]),
    ...(pointsBudget === undefined ? [] : [`${of(used?.points)}${number(pointsBudget)} points`]),
  ];
  const paid = parts.length > 0 && used !== undefined ? `${parts.join(' and ')} are paid` : parts.join(' and ');
  return [paid, ...(daily === undefined ? [] : [`${number(daily)} points for a creator in a day`])]
    .filter((part) => part !== '')
    .join('; ');
}
