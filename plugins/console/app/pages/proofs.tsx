/** Web proofs: make one, or see what one proves. */
import type { CredenceClient, VerifiedTranscript } from '@credence/client';
import { Box, Button, Checkbox, Group, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { type FieldsState, Form, textLines, useFields } from '../parts/form.tsx';
import { number } from '../parts/format.tsx';
import { Page, Section } from '../parts/page.tsx';
import { CheckProof, useProof } from './proofs/check-proof.tsx';
import { JsonValues } from './proofs/json-values.tsx';
import { asInput } from './proofs/proof-file.ts';
import { redactionPath } from './proofs/value-paths.ts';

export default function Proofs() {
  const [proof] = useProof();
  const [tab, setTab] = useState<string | null>(proof === null ? 'make' : 'check');
  return (
    <Page title="Web proofs">
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List>
          <Tabs.Tab value="make">Make</Tabs.Tab>
          <Tabs.Tab value="check">Verify and compress</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="make" pt="md">
          <MakeProof onMade={() => setTab('check')} />
        </Tabs.Panel>
        <Tabs.Panel value="check" pt="md">
          {/* A new one takes the place of a file that was refused. */}
          <CheckProof key={proof?.data} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** A proof takes seconds, one of a slow server more. */
const PROVING_MS = 180_000;

/** Paths into the body, and names of headers. */
const NOTHING = { body: [] as readonly string[], headers: [] as string[] };

/** Makes a proof in two steps: read the answer, choose what stays hidden, then prove it without that. */
function MakeProof({ onMade }: { readonly onMade: () => void }) {
  const { fields, text } = useFields({ url: '', headers: '' });
  const hidden = useFields(NOTHING);
  const request = { url: fields.url, headers: textLines(fields.headers) };
  const [, change] = useProof();
  const [preview, setPreview] = useState<{ readonly of: string; readonly transcript: VerifiedTranscript }>();
  const read = async (client: CredenceClient) => {
    const proof = await client.proofs.prove(request, { timeoutMs: PROVING_MS });
    const transcript = await client.proofs.verify(asInput(proof));
    setPreview({ of: JSON.stringify(request), transcript });
    hidden.clear();
  };
  const make = useAction(
    (client) => {
      const { body, headers } = hidden.fields;
      const response = { ...(body.length > 0 && { json_body: body }), ...(headers.length > 0 && { headers }) };
      // Nobody needs to see what the caller signs in with.
      const names = request.headers.map((line) => line.split(':', 1)[0] ?? '');
      const own = names.filter((name) => /^(authorization|cookie|x-api-key)$/i.test(name));
      const redaction = [{ response }, ...(own.length > 0 ? [{ request: { headers: own } }] : [])];
      return client.proofs.prove({ ...request, redaction }, { timeoutMs: PROVING_MS });
    },
    {
      inForm: true,
      done: () => 'The web proof is made.',
      keep: (proof) => change(() => asInput(proof)),
      onDone: onMade,
    },
  );
  return (
    <Stack>
      <Section title="Request">
        <Box maw={640}>
          <Form run={read} submitLabel="Read the response">
            <TextInput label="URL" type="url" required {...text('url')} />
            <Textarea
              label="Headers"
              description="One a line: name: value. Authorization, Cookie and X-Api-Key are always hidden in the proof."
              autosize
              minRows={2}
              {...text('headers')}
            />
          </Form>
        </Box>
      </Section>
      {/* What was chosen of one answer says nothing of another one. */}
      {preview?.of === JSON.stringify(request) && (
        <Section
          title="What stays hidden"
          actions={
            <Button loading={make.isPending} onClick={() => make.mutate()}>
              Make the proof
            </Button>
          }
        >
          {make.error && <Failure error={make.error} />}
          <Choice transcript={preview.transcript} hidden={hidden} />
        </Section>
      )}
    </Stack>
  );
}

interface ChoiceProps {
  readonly transcript: VerifiedTranscript;
  readonly hidden: FieldsState<typeof NOTHING>;
}

function Choice({ transcript: { response }, hidden: { fields, set, choice } }: ChoiceProps) {
  const names = [...new Set(response.headers.map((line) => (line.split(':', 1)[0] ?? '').toLowerCase()))];
  return (
    <>
      <Text>
        The server answered with status {response.status}. Press what stays hidden:{' '}
        {number(fields.body.length + fields.headers.length)} chosen.
      </Text>
      <JsonValues
        body={response.body}
        label="Values of the body"
        verb="Hide"
        pathOf={redactionPath}
        chosen={fields.body}
        onChosen={(body) => set('body', body)}
      />
      <Checkbox.Group label="Headers of the response to hide" {...choice('headers')}>
        <Group mt="xs">
          {names.map((name) => (
            <Checkbox key={name} value={name} label={name} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}
