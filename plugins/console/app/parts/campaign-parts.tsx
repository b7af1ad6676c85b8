/** The parts of a campaign's form: rules, accounts that count, when it pays, what it pays at most, and the draw. */

import type { CampaignDetail } from '@credence/client';
import { Checkbox, Input, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { drawText, limitsText, payingText, requirementsText } from './campaign-words.ts';
import { CHECKS, type RuleFields } from './comment-rules.ts';
import { type FieldsState, optionsOf, useValue } from './form.tsx';
import { given } from './given.ts';

/** Of a part, by the hook that has its fields. */
interface PartProps<Hook extends (stored?: never) => unknown> {
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

function NumberFields<Name extends string>({ of, state }: NumberFieldsProps<Name>) {
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

const COMMAS = 'With commas between';

const RULE_NUMBERS = [
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
      <NumberFields of={RULE_NUMBERS} state={state} />
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

type Requires = NonNullable<CampaignDetail['challenge']['requires']>;

const LEAST = [
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
  const needsProfile = fields.public || LEAST.some(([name]) => fields[name] !== undefined);
  return (
    <FormPart title="Accounts that count" says={requirementsText(value)} fixed={fixed}>
      <NumberFields of={LEAST} state={state} />
      {FLAGS.map(([name, label]) => (
        <Checkbox key={name} label={label} {...check(name)} />
      ))}
      {needsProfile && (
        <Select label="If the platform does not tell" data={optionsOf(UNKNOWN)} {...choice('unknown')} />
      )}
    </FormPart>
  );
}

type Terms = CampaignDetail['terms'];

const DAYS = [
  [
    'holdDays',
    'Days until the reward',
    365,
    'The comment or like must still be there. Empty: the reward comes at once',
  ],
  ['recheckDays', 'Days after the reward', 365, 'Then it is looked for once more. Empty: it is not'],
] as const;
const REVIEWED = {
  none: 'None',
  signals: 'Those with something to look at',
  all: 'All',
} as const;

/** A stored draw is no field: it was published, and stays. */
export function useTerms(stored?: Terms, isFixed?: boolean) {
  return useValue(
    { ...stored, review: (stored?.review ?? 'none') as keyof typeof REVIEWED, beacon: '' },
    ({ review, beacon, ...terms }) =>
      given({
        ...terms,
        review: review === 'none' ? undefined : review,
        draw: beacon.trim() === '' ? undefined : { beacon: beacon.trim() },
      }),
    isFixed,
  );
}

export function PayingPart({
  of: { state, value },
  draw,
  fixed,
}: PartProps<typeof useTerms> & { readonly draw?: NonNullable<Terms>['draw'] }) {
  return (
    <FormPart title="When it pays" says={payingText(draw ? { ...value, draw } : value)} fixed={fixed}>
      <NumberFields of={DAYS} state={state} />
      <Checkbox label="Take the points back if it is gone after the reward" {...state.check('reverseOnRemoval')} />
      <Select label="Rewards that wait for your approval" data={optionsOf(REVIEWED)} {...state.choice('review')} />
    </FormPart>
  );
}

export function DrawPart({ of: { state } }: Pick<PartProps<typeof useTerms>, 'of'>) {
  return (
    <FormPart title="Draw" says={drawText(state.fields.beacon.trim())}>
      <TextInput
        label="Draw winners with"
        description="A public value of the future, such as “drand round 5000000”. Empty: everybody is rewarded"
        maxLength={200}
        {...state.text('beacon')}
      />
    </FormPart>
  );
}

const LIMITS = [
  ['maxRewards', 'Rewards', 100_000, 'Empty: no limit'],
  ['pointsBudget', 'Points in all', 1_000_000_000_000, 'Empty: no limit'],
  ['pointsPerCreatorAndDay', 'Points for a creator in a day (UTC)', 1_000_000_000_000, 'Empty: no limit'],
] as const;

export const useLimits = (stored?: CampaignDetail['limits'], isFixed?: boolean) =>
  useValue(stored ?? {}, given, isFixed);

export function LimitsPart({ of: { state, value }, fixed }: PartProps<typeof useLimits>) {
  return (
    <FormPart title="What it pays at most" says={limitsText(value)} fixed={fixed}>
      <NumberFields of={LIMITS} state={state} />
    </FormPart>
  );
}
