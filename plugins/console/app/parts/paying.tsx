/** When a campaign pays: how long a comment or like must be kept, who approves, and whether the lot decides. */
import type { CampaignDetail } from '@credence/client';
import { Checkbox, Select, TextInput } from '@mantine/core';
import { drawText, payingText } from './campaign-words.ts';
import { optionsOf, useValue } from './fields.ts';
import { FormPart, NumberFields, type PartProps } from './form-part.tsx';
import { given } from './given.ts';

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
