/** Changes a campaign, in a dialog. Only what was changed is sent, so that nothing else is overwritten. */

import type { CampaignDetail, CredenceClient } from '@credence/client';
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import {
  LimitsPart,
  PayingPart,
  RequirementsPart,
  useLimits,
  useRequirements,
  useTerms,
} from '../../parts/campaign-parts.tsx';
import { FormDialog, useFields } from '../../parts/form.tsx';
import { LocalTimeInput, localOf, utcOf } from '../../parts/local-time.tsx';

interface EditCampaignProps {
  readonly campaign: CampaignDetail;
  /** Somebody was verified: the points and terms stay. */
  readonly isFixed: boolean;
  readonly onClose: () => void;
}

const fieldsOf = ({ challenge, ...campaign }: CampaignDetail) => ({
  title: campaign.title,
  description: campaign.description ?? '',
  imageUrl: campaign.imageUrl ?? '',
  instructionText: challenge.instructionText,
});
const termsOf = ({ challenge, pointsReward }: CampaignDetail) => ({
  pointsReward: String(pointsReward),
  countHidden: challenge.countHidden === true,
});
const timesOf = ({ startsAt, endsAt }: CampaignDetail) => ({ startsAt: localOf(startsAt), endsAt: localOf(endsAt) });

type Fields = ReturnType<typeof fieldsOf> & ReturnType<typeof timesOf> & { readonly pointsReward: string };

/** What the API takes. */
const valuesOf = (fields: Fields) => ({
  title: fields.title,
  description: fields.description || null,
  imageUrl: fields.imageUrl || null,
  instructionText: fields.instructionText || null,
  pointsReward: Number(fields.pointsReward),
  startsAt: utcOf(fields.startsAt),
  endsAt: utcOf(fields.endsAt),
});
type Name = keyof ReturnType<typeof valuesOf>;

export function EditCampaign({ campaign, isFixed, onClose }: EditCampaignProps) {
  const said = useFields(fieldsOf(campaign));
  const times = useFields(timesOf(campaign), !campaign.isActive);
  const basic = useFields(termsOf(campaign), isFixed);
  const required = useRequirements(campaign.challenge.requires, isFixed);
  const paying = useTerms(campaign.terms, isFixed);
  const limited = useLimits(campaign.limits, isFixed && !campaign.limits);
  const save = (client: CredenceClient) => {
    const { countHidden, ...fields } = { ...said.fields, ...times.fields, ...basic.fields };
    const initial = { ...said.initial, ...times.initial, ...basic.initial };
    const values = Object.entries(valuesOf(fields)) as [Name, never][];
    const changes = Object.fromEntries(values.filter(([name]) => fields[name] !== initial[name]));
    const challenge = {
      ...(required.isChanged && { requires: required.value }),
      ...(countHidden !== initial.countHidden && { countHidden }),
    };
    const terms = paying.isChanged ? { terms: paying.value } : {};
    const limits = limited.isChanged ? { limits: limited.value } : {};
    return client.campaigns.update({ id: campaign.id, ...changes, ...terms, ...limits, challenge });
  };
  const fixed = isFixed ? 'Creators were verified: this stays.' : undefined;
  const whenFixed = { disabled: isFixed, description: fixed };
  const whenEnded = campaign.isActive ? {} : { disabled: true, description: 'The campaign was ended: this stays.' };
  return (
    <FormDialog
      title="Edit the campaign"
      submitLabel="Save"
      run={save}
      done={(changed) => `“${changed.campaign.title}” is changed.`}
      onClose={onClose}
    >
      <TextInput label="Title" required maxLength={200} {...said.text('title')} data-autofocus />
      <Textarea label="Description" autosize minRows={2} {...said.text('description')} />
      <TextInput label="URL of the picture" type="url" {...said.text('imageUrl')} />
      <Textarea
        label="Instruction to creators"
        description="Empty: the usual sentence"
        autosize
        {...said.text('instructionText')}
      />
      <TextInput
        label="Points for each creator"
        type="number"
        required
        min={0}
        {...basic.text('pointsReward')}
        {...whenFixed}
      />
      {!campaign.challenge.action && (
        <Checkbox label="Count comments that the brand hides" {...basic.check('countHidden')} {...whenFixed} />
      )}
      <RequirementsPart of={required} fixed={fixed} />
      <PayingPart of={paying} draw={campaign.terms?.draw} fixed={fixed} />
      <LimitsPart of={limited} fixed={campaign.limits ? undefined : fixed} />
      <LocalTimeInput label="Starts" description="Empty: at once" {...times.text('startsAt')} {...whenEnded} />
      <LocalTimeInput label="Ends" description="Empty: when you end it" {...times.text('endsAt')} {...whenEnded} />
    </FormDialog>
  );
}
