/** Opens the attempt of a creator, for support that knows an external id only. */
import type { CampaignDetail } from '@credence/client';
import { type ButtonProps, TextInput } from '@mantine/core';
import { campaignState } from '../../parts/campaign-words.ts';
import { DialogButton, FormDialog, useFields } from '../../parts/form.tsx';
import { navigate } from '../../parts/location.ts';

interface AddParticipantProps {
  readonly campaign: CampaignDetail;
}

/** Nothing unless the campaign is running. */
export function AddParticipant({ campaign, ...button }: AddParticipantProps & ButtonProps) {
  if (campaignState(campaign) !== 'running') return null;
  return (
    <DialogButton variant="filled" {...button} dialog={(close) => <AddDialog campaign={campaign} onClose={close} />}>
      Add a participant
    </DialogButton>
  );
}

function AddDialog({ campaign, onClose }: AddParticipantProps & { readonly onClose: () => void }) {
  const { fields, text } = useFields({ externalId: '' });
  return (
    <FormDialog
      title="Add a participant"
      submitLabel="Add the participant"
      run={(client) => client.attempts.create({ challengeId: campaign.challenge.id, ...fields })}
      done={() => `${fields.externalId} takes part.`}
      onDone={({ id }) => navigate(`/campaigns/${campaign.id}/participants/${id}`)}
      onClose={onClose}
    >
      <TextInput
        label="External id"
        description="Of a registered creator who has an account on the platform of the post."
        required
        maxLength={200}
        {...text('externalId')}
        data-autofocus
      />
    </FormDialog>
  );
}
