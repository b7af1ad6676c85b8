/** Changes a campaign, in a dialog. Only what was changed is sent, so that nothing else is overwritten. */

import type { CampaignDetail } from '@credence/client';
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useAction } from '../../parts/action.tsx';
import { useFields } from '../../parts/fields.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { KeepingFields, useKeeping } from '../../parts/keeping.tsx';
import { LimitsFields, useLimits } from '../../parts/limits.tsx';
import { LocalTimeInput, localOf, utcOf } from '../../parts/local-time.tsx';
import { RequirementFields, useRequirements } from '../../parts/requirements.tsx';
import { useClient } from '../../session.tsx';

interface EditCampaignProps {
  readonly campaign: CampaignDetail;
  /** Somebody got the points: they stay. */
  readonly isRewarded: boolean;
  readonly onClose: () => void;
}

const textOrNull = (text: string) => text || null;

/** What the API takes for the text of each field. */
const VALUE_OF = {
  title: String,
  description: textOrNull,
  imageUrl: textOrNull,
  instructionText: textOrNull,
  pointsReward: Number,
  startsAt: utcOf,
  endsAt: utcOf,
} as const;

type Name = keyof typeof VALUE_OF;
type Changes = { [Field in Name]?: ReturnType<(typeof VALUE_OF)[Field]> };
const NAMES = Object.keys(VALUE_OF) as Name[];

function textsOf({ challenge, ...campaign }: CampaignDetail): Readonly<Record<Name, string>> {
  return {
    title: campaign.title,
    description: campaign.description ?? '',
    imageUrl: campaign.imageUrl ?? '',
    instructionText: challenge.instructionText,
    pointsReward: String(campaign.pointsReward),
    startsAt: localOf(campaign.startsAt),
    endsAt: localOf(campaign.endsAt),
  };
}

export function EditCampaign({ campaign, isRewarded, onClose }: EditCampaignProps) {
  const client = useClient();
  const { fields, text, initial } = useFields(textsOf(campaign));
  const required = useRequirements(campaign.challenge.requires);
  const keeping = useKeeping(campaign.terms);
  const limited = useLimits(campaign.limits);
  const hidden = useFields({ countHidden: campaign.challenge.countHidden === true });
  const { countHidden } = hidden.fields;
  const save = useAction(
    () => {
      const changed = NAMES.filter((name) => fields[name] !== initial[name]);
      const changes: Changes = Object.fromEntries(changed.map((name) => [name, VALUE_OF[name](fields[name])]));
      const challenge = {
        ...(required.isChanged && { requires: required.requires }),
        ...(countHidden !== hidden.initial.countHidden && { countHidden }),
      };
      const terms = keeping.isChanged ? { terms: keeping.terms } : {};
      const limits = limited.isChanged ? { limits: limited.limits } : {};
      return client.campaigns.update({ id: campaign.id, ...changes, ...terms, ...limits, challenge });
    },
    { done: (changed) => `“${changed.campaign.title}” is changed.`, onDone: onClose, inForm: true },
  );
  const fixed = isRewarded ? 'Creators were rewarded: this stays.' : undefined;
  const whenEnded = campaign.isActive ? {} : { disabled: true, description: 'The campaign was ended: this stays.' };
  return (
    <FormDialog
      title="Edit the campaign"
      submitLabel="Save"
      save={save}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput label="Title" required maxLength={200} {...text('title')} data-autofocus />
      <Textarea label="Description" autosize minRows={2} {...text('description')} />
      <TextInput label="URL of the picture" type="url" {...text('imageUrl')} />
      <Textarea
        label="What creators do"
        description="Empty: the usual sentence"
        autosize
        {...text('instructionText')}
      />
      <TextInput
        label="Points for each creator"
        type="number"
        required
        min={0}
        step={1}
        {...text('pointsReward')}
        disabled={isRewarded}
        description={isRewarded ? 'Creators were rewarded: the points stay.' : undefined}
      />
      <Checkbox
        label="Count comments that the brand hides"
        checked={countHidden}
        onChange={({ currentTarget }) => hidden.set('countHidden', currentTarget.checked)}
        disabled={isRewarded}
        description={fixed}
      />
      <RequirementFields state={required.state} fixed={fixed} />
      <KeepingFields state={keeping.state} fixed={fixed} />
      <LimitsFields state={limited.state} fixed={campaign.limits ? undefined : fixed} />
      <LocalTimeInput label="Starts" description="Empty: at once" {...text('startsAt')} {...whenEnded} />
      <LocalTimeInput label="Ends" description="Empty: when you end it" {...text('endsAt')} {...whenEnded} />
    </FormDialog>
  );
}
