/** A campaign whose rewards are drawn by lot: what was promised, the draw, and its proof. */

import type { CampaignDetail } from '@credence/client';
import { Button, Text, TextInput } from '@mantine/core';
import { downloadJson } from '../../parts/download.ts';
import { DialogButton, FormDialog, useFields } from '../../parts/form.tsx';
import { number, Time } from '../../parts/format.tsx';
import { Answered, Facts, Section } from '../../parts/page.tsx';
import { useReadIfFound } from '../../parts/reads.tsx';
import { useSummary } from './progress.tsx';

interface DrawProps {
  readonly id: number;
  readonly terms: NonNullable<NonNullable<CampaignDetail['terms']>['draw']>;
}

export function DrawSection({ id, terms }: DrawProps) {
  const drawn = useReadIfFound('campaigns.readDraw', { id });
  const action = drawn.data ? (
    <Button variant="default" onClick={() => downloadJson(`draw-${id}.json`, drawn.data)}>
      Save the proof
    </Button>
  ) : (
    <DialogButton dialog={(close) => <DrawDialog id={id} terms={terms} onClose={close} />}>Draw winners</DialogButton>
  );
  return (
    <Section title="Draw" actions={drawn.data !== undefined && action}>
      <Text>
        {drawn.data && 'Publish the proof: anybody can check it with “credence draw verify”.'}
        {drawn.data === null && 'Verified creators wait for the draw. Publish the commitment before they take part.'}
      </Text>
      <Facts of={{ 'Drawn with': terms.beacon, Commitment: terms.commitment }} />
      <Answered query={drawn}>
        {(draw) =>
          draw && (
            <Facts
              of={{
                Winners: `${number(draw.winners.length)} of ${number(draw.participants.length)}`,
                'By the value': draw.beaconValue,
                Drawn: <Time at={draw.drawnAt} />,
              }}
            />
          )
        }
      </Answered>
    </Section>
  );
}

function DrawDialog({ id, terms, onClose }: DrawProps & { readonly onClose: () => void }) {
  const { byState } = useSummary(id).data ?? {};
  const { fields, text } = useFields({ winners: '', beaconValue: '' });
  return (
    <FormDialog
      title="Draw winners"
      submitLabel="Draw the winners"
      run={(client) => client.campaigns.draw({ id, winners: Number(fields.winners), beaconValue: fields.beaconValue })}
      done={({ winners }) => `${number(winners.length)} won.`}
      onClose={onClose}
    >
      <Text>
        {byState && `${number(byState.verified)} verified creators take part. `}
        The winners are rewarded; the others, and those verified later, get nothing. This cannot be undone.
      </Text>
      <TextInput label="How many win" type="number" required min={1} {...text('winners')} data-autofocus />
      <TextInput label={`Value of “${terms.beacon}”`} required maxLength={1000} {...text('beaconValue')} />
    </FormDialog>
  );
}
