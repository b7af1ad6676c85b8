/** What a campaign requires of an account. */
import type { CampaignDetail } from '@credence/client';
import { Checkbox, Select } from '@mantine/core';
import { requirementsText } from './campaign-words.ts';
import { optionsOf, useValue } from './fields.ts';
import { FormPart, NumberFields, type PartProps } from './form-part.tsx';
import { given } from './given.ts';

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

type Fields = Requires & { readonly unknown: keyof typeof UNKNOWN };

export const useRequirements = (stored?: Requires | null, isFixed?: boolean) =>
  useValue<Fields, Requires | null>({ unknown: 'wait', ...stored }, requiresOf, isFixed);

function requiresOf({ unknown, ...fields }: Fields): Requires | null {
  const asked = given(fields);
  return asked && { ...asked, unknown };
}

export function RequirementsPart({ of: { state, value }, fixed }: PartProps<typeof useRequirements>) {
  const { fields, choice, check } = state;
  const needsProfile = fields.public || NUMBERS.some(([name]) => fields[name] !== undefined);
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
