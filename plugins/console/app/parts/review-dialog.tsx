/** Decides about a reward, with a reason for the history. */
import type { CredenceClient, Participant } from '@credence/client';
import { Select, Textarea } from '@mantine/core';
import { DialogButton, FormDialog, optionsOf, useFields } from './form.tsx';

type Decision = Parameters<CredenceClient['attempts']['review']>[0]['decision'];

const DECISIONS: Readonly<Record<Decision, string>> = {
  approve: 'Approve the reward',
  refuse: 'Refuse the reward',
  hold: 'Hold the reward for now',
};
const DONE: Readonly<Record<Decision, string>> = {
  approve: 'The reward is approved.',
  refuse: 'The reward is refused.',
  hold: 'The reward is held.',
};

interface ReviewButtonProps {
  readonly challengeId: number;
  readonly attemptId: number;
  readonly state: Participant['state'];
  readonly held?: Participant['held'];
  readonly size?: 'xs' | 'sm';
}

/** For attempts that are verified and not rewarded. */
export function ReviewButton({ challengeId, attemptId, state, held, size = 'sm' }: ReviewButtonProps) {
  if (state !== 'verified' || held?.why === 'not-drawn') return null;
  return (
    <DialogButton
      size={size}
      dialog={(close) => <ReviewDialog challengeId={challengeId} attemptId={attemptId} onClose={close} />}
    >
      Review
    </DialogButton>
  );
}

function ReviewDialog({
  onClose,
  ...place
}: Pick<ReviewButtonProps, 'challengeId' | 'attemptId'> & { onClose(): void }) {
  const { fields, choice, text } = useFields({ ...place, decision: 'approve' as Decision, reason: '' });
  return (
    <FormDialog
      title="Review the reward"
      submitLabel="Save the decision"
      run={(client) => client.attempts.review(fields)}
      done={({ review: { decision } }) => DONE[decision]}
      onClose={onClose}
    >
      <Select label="Decision" data={optionsOf(DECISIONS)} {...choice('decision')} />
      <Textarea
        label="Reason"
        description="It is in the history of the attempt."
        required
        maxLength={500}
        autosize
        minRows={2}
        {...text('reason')}
        data-autofocus
      />
    </FormDialog>
  );
}
