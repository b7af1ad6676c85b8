/** What a campaign requires of an account. */
import type { CampaignDetail } from '@credence/client';
import { Checkbox, Select } from '@mantine/core';
import { requirementsText } from './campaign-words.ts';
import { optionsOf, useValue } from './fields.ts';
import { FormPart, NumberFields, numbersOf, type PartProps, textsOf } from './form-part.tsx';

type Requires = NonNullable<CampaignDetail['challenge']['requires']>;

const NUMBERS = [
  ['minFollowers', 'Fewest followers', 1_000_000_000],
  ['minPosts', 'Fewest posts', 1_000_000_000],
  ['minAccountAgeDays', 'Fewest days since the account was made', 36_500],
] as const;
const FLAGS = [
  ['public', 'The account is public'],
  ['provenOnly', 'The creator has proven that it is theirs'],
  ['oneRewardPerAccount', 'Each account is rewarded once only'],
] as const;
const UNKNOWN = {
  wait: 'Check again later',
  pass: 'Count it as met',
  fail: 'Count it as not met',
} as const;

type Fields = Record<(typeof NUMBERS)[number][0], string> &
  Record<(typeof FLAGS)[number][0], boolean> & { unknown: keyof typeof UNKNOWN };

export function useRequirements(stored?: Requires | null, isFixed?: boolean) {
  return useValue<Fields, Requires | null>(
    {
      ...textsOf(NUMBERS, stored ?? {}),
      public: stored?.public === true,
      provenOnly: stored?.provenOnly === true,
      oneRewardPerAccount: stored?.oneRewardPerAccount === true,
      unknown: stored?.unknown ?? 'wait',
    },
    requiresOf,
    isFixed,
  );
}

function requiresOf(fields: Fields): Requires | null {
  const flags = FLAGS.flatMap(([name]) => (fields[name] ? [[name, true]] : []));
  const requires: Requires = { ...numbersOf(NUMBERS, fields), ...Object.fromEntries(flags) };
  return Object.keys(requires).length === 0 ? null : { ...requires, unknown: fields.unknown };
}

export function RequirementsPart({ of: { state, value }, fixed }: PartProps<typeof useRequirements>) {
  const { fields, choice, check } = state;
  const needsProfile = fields.public || NUMBERS.some(([name]) => fields[name] !== '');
  return (
    <FormPart title="Accounts that count" says={requirementsText(value)} fixed={fixed}>
      <NumberFields of={NUMBERS} state={state} />
      {FLAGS.map(([name, label]) => (
        <Checkbox key={name} label={label} {...check(name)} />
      ))}
      {needsProfile && (
        <Select label="If the platform does not tell" data={optionsOf(UNKNOWN)} {...choice('unknown')} />
      )}
    </FormPart>
  );
}
