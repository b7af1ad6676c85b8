/** The rules for the comments of a campaign: they can be tried on the stored comments before anybody is paid by them. */
import type { CampaignDetail } from '@credence/client';
import { Button, Stack, Text } from '@mantine/core';
import { useAction } from '../../parts/action.tsx';
import { RulesFields } from '../../parts/campaign-parts.tsx';
import { counted, rulesText } from '../../parts/campaign-words.ts';
import { fieldsOf, type RulesPreview, rulesOf, type UnmetRule, unmetText } from '../../parts/comment-rules.ts';
import { Failure } from '../../parts/failure.tsx';
import { FormDialog, useValue } from '../../parts/form.tsx';
import { number, Time } from '../../parts/format.tsx';
import { type Columns, Rows } from '../../parts/rows.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { useSummary } from './progress.tsx';

type Example = RulesPreview['examples'][number];

const COLUMNS: Columns<Example> = {
  Account: ({ username }) => <span className="break">{username}</span>,
  Comment: ({ commentText, commentedAt }) => (
    <span className="break">
      {commentText} <Time at={commentedAt} />
    </span>
  ),
  Counts: ({ unmetRules }) => (unmetRules.length === 0 ? 'Counts' : `${unmetRules.map(unmetText).join('. ')}.`),
};

interface RulesDialogProps {
  readonly campaign: CampaignDetail;
  readonly onClose: () => void;
}

export function RulesDialog({ campaign: { id, challenge }, onClose }: RulesDialogProps) {
  const { state, value: rules } = useValue(fieldsOf(challenge.rules), rulesOf);
  const isFixed = (useSummary(id).data?.totalVerified ?? 0) > 0;
  const trial = useAction(
    (client, tried: typeof rules) => client.campaigns.previewRules({ id, rules: tried, limit: 50 }),
    { inForm: true },
  );
  const isTried = JSON.stringify(trial.variables) === JSON.stringify(rules);
  return (
    <FormDialog
      title="Rules for comments"
      size="70rem"
      submitLabel="Save the rules"
      isIncomplete={isFixed}
      run={(client) => client.campaigns.update({ id, challenge: { rules } })}
      done={({ challenge: { rules: saved } }) => (saved == null ? 'Any comment counts.' : 'The rules are saved.')}
      onClose={onClose}
    >
      {isFixed && <Text c="dimmed">Creators were verified: the rules stay.</Text>}
      <div className="columns">
        <RulesFields state={state} />
        <Stack>
          <Text>{rulesText(rules)}</Text>
          <Button variant="default" loading={trial.isPending} onClick={() => trial.mutate(rules)}>
            Try the rules
          </Button>
          {trial.error && <Failure error={trial.error} />}
          {isTried && trial.data && <Tried preview={trial.data} />}
        </Stack>
      </div>
    </FormDialog>
  );
}

/** It comes below long fields. */
const intoView = (text: HTMLElement | null): void => text?.scrollIntoView({ block: 'center' });

function Tried({ preview }: { readonly preview: RulesPreview }) {
  const { comments, judged, matching, matchingAuthors, unmet, publishersKnown, examples } = preview;
  const reasons = Object.entries(unmet) as [UnmetRule, number][];
  return (
    <>
      <Text role="status" ref={intoView}>
        <strong>
          {number(matching)} of {number(judged)} comments count
        </strong>
        , by {counted(matchingAuthors, 'account')}.{' '}
        {reasons.map(([rule, count]) => `${unmetText(rule)}: ${number(count)}.`).join(' ')}
      </Text>
      <Warnings
        of={[
          comments > judged &&
            `${number(comments)} comments are stored. Hidden and deleted ones, and old ones beyond the newest 10,000, were left out.`,
          !publishersKnown &&
            'The post could not be read, so nobody knows who published it. Until then, no comment meets the rules about people.',
        ]}
      />
      <Rows
        label="Comments and the rules"
        rows={examples}
        columns={COLUMNS}
        rowKey={({ username, commentedAt, commentText }) => `${username} ${commentedAt} ${commentText}`}
        empty="No comments are here yet. Update them from the platform."
      />
      {examples.length < judged && (
        <Text size="sm" c="dimmed">
          {number(examples.length)} of them are shown: the newest that count, then the newest that do not.
        </Text>
      )}
    </>
  );
}
