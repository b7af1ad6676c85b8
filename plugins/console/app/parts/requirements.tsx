/** What a campaign requires of an account: the fields of a form, and in words. */
import type { CampaignDetail } from '@credence/client';
import { Checkbox, Fieldset, Select, Stack, TextInput } from '@mantine/core';
import { type FieldsState, useFields } from './fields.ts';
import { number } from './format.tsx';

type Requires = NonNullable<CampaignDetail['challenge']['requires']>;

const NUMBERS = [
  ['minFollowers', 'Fewest followers', 'followers'],
  ['minPosts', 'Fewest posts', 'posts'],
  ['minAccountAgeDays', 'Fewest days since the account was made', 'days of age'],
] as const;
const FLAGS = [
  ['public', 'The account is public', 'public'],
  ['provenOnly', 'The creator has proven that it is theirs', 'proven'],
  ['oneRewardPerAccount', 'Each account is rewarded once only', 'each rewarded once'],
] as const;
const UNKNOWN = {
  wait: 'Check again later',
  pass: 'Count it as met',
  fail: 'Count it as not met',
} as const;

type Fields = Record<'minFollowers' | 'minPosts' | 'minAccountAgeDays', string> &
  Record<'public' | 'provenOnly' | 'oneRewardPerAccount', boolean> & { unknown: keyof typeof UNKNOWN };

/** The fields of a form; `null` requires nothing. */
export function useRequirements(stored: Requires | null | undefined) {
  const state = useFields<Fields>({
    minFollowers: String(stored?.minFollowers ?? ''),
    minPosts: String(stored?.minPosts ?? ''),
    minAccountAgeDays: String(stored?.minAccountAgeDays ?? ''),
    public: stored?.public === true,
    provenOnly: stored?.provenOnly === true,
    oneRewardPerAccount: stored?.oneRewardPerAccount === true,
    unknown: stored?.unknown ?? 'wait',
  });
  const requires = requiresOf(state.fields);
  return { state, requires, isChanged: JSON.stringify(requires) !== JSON.stringify(requiresOf(state.initial)) };
}

function requiresOf(fields: Fields): Requires | null {
  const numbers = NUMBERS.flatMap(([name]) => (fields[name] === '' ? [] : [[name, Number(fields[name])]]));
  const flags = FLAGS.flatMap(([name]) => (fields[name] ? [[name, true]] : []));
  if (numbers.length + flags.length === 0) return null;
  return Object.fromEntries([...numbers, ...flags, ['unknown', fields.unknown]]) as Requires;
}

interface RequirementFieldsProps {
  readonly state: FieldsState<Fields>;
  /** Why nothing of it can be changed. */
  readonly fixed?: string | undefined;
}

export function RequirementFields({ state: { fields, set, text }, fixed }: RequirementFieldsProps) {
  const needsProfile = fields.public || NUMBERS.some(([name]) => fields[name] !== '');
  return (
    <Fieldset legend="Accounts that count" disabled={fixed !== undefined}>
      <Stack gap="sm">
        {NUMBERS.map(([name, label]) => (
          <TextInput key={name} label={label} description={fixed} type="number" min={1} step={1} {...text(name)} />
        ))}
        {FLAGS.map(([name, label]) => (
          <Checkbox
            key={name}
            label={label}
            checked={fields[name]}
            onChange={({ currentTarget }) => set(name, currentTarget.checked)}
          />
        ))}
        {needsProfile && (
          <Select
            label="If the platform does not tell"
            allowDeselect={false}
            data={Object.entries(UNKNOWN).map(([value, label]) => ({ value, label }))}
            value={fields.unknown}
            onChange={(value) => set('unknown', value as Fields['unknown'])}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

export function requirementsText(requires: Requires): string {
  const numbers = NUMBERS.flatMap(([name, , what]) => {
    const least = requires[name];
    return least === undefined ? [] : [`at least ${number(least)} ${what}`];
  });
  const text = [...numbers, ...FLAGS.flatMap(([name, , what]) => (requires[name] ? [what] : []))].join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
