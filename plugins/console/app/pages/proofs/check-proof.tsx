/** Verifies a proof from a file, shows what it proves and what it hides, and compresses it for Ethereum. */

import type { CompressWebProofResult, VerifiedTranscript } from '@credence/client';
import { Button, Code, FileButton, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, Fragment, useState } from 'react';
import { ActionButton, useAction } from '../../parts/action.tsx';
import { Copy, Id } from '../../parts/copy.tsx';
import { downloadJson } from '../../parts/download.ts';
import { Failure } from '../../parts/failure.tsx';
import { textLines } from '../../parts/form.tsx';
import { Time } from '../../parts/format.tsx';
import { Answered, Facts, Section } from '../../parts/page.tsx';
import { useKept } from '../../parts/queries.ts';
import { useRead } from '../../parts/reads.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { useClient } from '../../session.tsx';
import { settings } from '../../settings.ts';
import { JsonValues } from './json-values.tsx';
import { type ProofInput, parseProof, warningsOf } from './proof-file.ts';
import { queryPath } from './value-paths.ts';

/** A Groth16 proof takes up to a minute on a small machine. */
const COMPRESSING_MS = 300_000;

/** The proof that was made or opened last. */
export const useProof = () => useKept<ProofInput | null>('proof', null);

export function CheckProof() {
  const [chosen, change] = useProof();
  const open = useMutation({
    mutationFn: async (file: File) => parseProof(await file.text()),
    onSuccess: (opened) => change(() => opened),
  });
  // A file that is no proof takes the place of the proof before.
  const proof = open.error === null ? chosen : null;
  const warnings = proof === null ? [] : warningsOf(proof);
  const verified = useRead('proofs.verify', proof as ProofInput, {
    enabled: proof !== null,
    // Each verification counts, and what was proven stays so.
    staleTime: ({ state }) => (state.data === undefined ? 0 : 'static'),
  });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file !== undefined) open.mutate(file);
  };
  return (
    <Stack>
      <ProofWarnings of={warnings} />
      <Paper withBorder p="xl" ta="center" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <Text mb="sm">Drop the file of a web proof here, or choose one.</Text>
        <Group justify="center">
          <FileButton onChange={(file) => file !== null && open.mutate(file)} accept="application/json,.json">
            {(properties) => (
              <Button variant="default" {...properties}>
                Choose a file
              </Button>
            )}
          </FileButton>
          {proof !== null && (
            <ActionButton
              run={async () => downloadJson('web-proof.json', proof)}
              question={warnings.length === 0 ? undefined : 'Save this proof?'}
              about={<ProofWarnings of={warnings} />}
            >
              Save the proof
            </ActionButton>
          )}
        </Group>
      </Paper>
      {open.error && <Failure error={open.error} />}
      {proof !== null && (
        <>
          <Answered query={verified}>{(transcript) => <Proven transcript={transcript} />}</Answered>
          {verified.data && settings.services.has('zk-prover') && (
            <Compress key={proof.data} proof={proof} body={verified.data.response.body} />
          )}
        </>
      )}
    </Stack>
  );
}

function ProofWarnings({ of }: { readonly of: readonly string[] }) {
  return <Warnings title="Read this before you save or share the proof" of={of} />;
}

const NOTARIZATIONS = {
  attesting: 'The notary made the request and saw everything',
  blind: 'By MPC-TLS: the prover chose what is hidden, and the notary saw only what is shown',
} as const;

function Proven({ transcript }: { readonly transcript: VerifiedTranscript }) {
  const { request, response } = transcript;
  return (
    <>
      <Section title="What it proves">
        <Verdict transcript={transcript} />
        <Warnings
          title="Do not rely on this proof as it is"
          of={[
            !transcript.hostConfirmed &&
              'The name of the server is not confirmed. It may be any name on the certificate.',
            !transcript.notaryTrusted && 'The notary is not trusted. Anyone who has its key can prove anything.',
          ]}
        />
        <Facts
          of={{
            Server: transcript.serverDomain,
            'Server name confirmed': transcript.hostConfirmed ? 'Yes' : 'No',
            Notary: transcript.notaryTrusted ? 'Trusted' : 'Not trusted: list its key to trust it',
            'Key of the notary': <Id name="the key of the notary">{transcript.notaryKeyFingerprint}</Id>,
            'How it was made': transcript.notarization
              ? NOTARIZATIONS[transcript.notarization]
              : 'The notary does not say',
            Time: <Time at={transcript.tlsTimestamp * 1_000} />,
            Request: `${request.method} ${request.url}`,
            Status: response.status,
          }}
        />
      </Section>
      <Section title="What it shows">
        <Text c="dimmed" size="sm">
          Hidden bytes are X, and marked.
        </Text>
        <Shown label="Request" text={[...request.headers, '', request.body ?? ''].join('\n')} />
        <Shown label="Response" text={[...response.headers, '', response.body ?? ''].join('\n')} />
      </Section>
    </>
  );
}

/** In one line: whether one may rely on it, or what is missing. */
function Verdict({ transcript }: { readonly transcript: VerifiedTranscript }) {
  const { hostConfirmed, notaryTrusted, serverDomain, notaryKeyFingerprint } = transcript;
  const holds = hostConfirmed && notaryTrusted;
  const missing = notaryTrusted ? 'the name of the server is not confirmed' : 'nobody here trusts its notary';
  return (
    <Text component="p" className="verdict" data-holds={holds || undefined}>
      {holds
        ? `This proof holds: ${serverDomain} said it, signed by the trusted notary ${notaryKeyFingerprint.slice(0, 8)}.`
        : `This proof does not hold: ${missing}.`}
    </Text>
  );
}

function Shown({ label, text }: { readonly label: string; readonly text: string }) {
  const pieces = text.split(/(X{2,})/);
  return (
    <Code block className="rows break" tabIndex={0} role="region" aria-label={label}>
      {pieces.map((piece, at) => {
        const key = `${at}`;
        return at % 2 === 1 ? <mark key={key}>{piece}</mark> : <Fragment key={key}>{piece}</Fragment>;
      })}
    </Code>
  );
}

function Compress({ proof, body }: { readonly proof: ProofInput; readonly body: string | null }) {
  const client = useClient();
  const [queries, setQueries] = useState('');
  const jmespath = textLines(queries);
  const input = {
    presentation: proof,
    ...(jmespath.length > 0 ? { extraction: { 'response.body': { jmespath } } } : {}),
  };
  const decode = useMutation({ mutationFn: () => client.proofs.decodeJournal(input) });
  const [seal, change] = useKept<CompressWebProofResult | null>(`seal of ${proof.data}`, null);
  const compress = useAction((client) => client.proofs.compress(input, { timeoutMs: COMPRESSING_MS }), {
    inForm: true,
    done: () => 'The seal is made.',
    keep: (made) => change(() => made),
  });
  return (
    <Section title="Compress for Ethereum">
      <Text>Press the values that the contract gets, or write queries.</Text>
      <JsonValues
        body={body}
        label="Values to prove"
        verb="Prove"
        pathOf={queryPath}
        chosen={jmespath}
        onChosen={(chosen) => setQueries(chosen.join('\n'))}
      />
      <Textarea
        label="Values for the contract"
        description="One JMESPath query a line, over the body of the response"
        autosize
        minRows={2}
        value={queries}
        onChange={(event) => setQueries(event.currentTarget.value)}
      />
      <Group>
        <Button variant="default" loading={decode.isPending} onClick={() => decode.mutate()}>
          Show the Solidity code
        </Button>
        <Button loading={compress.isPending} onClick={() => compress.mutate()}>
          Compress
        </Button>
      </Group>
      {compress.isPending && <Text role="status">Compressing takes seconds, up to a minute on a small machine.</Text>}
      {decode.error && <Failure error={decode.error} />}
      {compress.error && <Failure error={compress.error} />}
      {seal && !compress.isPending && (
        <>
          <Warnings title="Read this before you use the seal" of={seal.details.warnings} />
          <Facts
            of={{
              'Guest id': <Id name="the guest id">{seal.guestId}</Id>,
              Seal: seal.zkProof,
              Journal: seal.journalDataAbi,
              'Gas to verify': seal.details.verificationGas,
            }}
          />
          <Group>
            <Copy text={seal.zkProof}>Copy the seal</Copy>
            <Copy text={seal.journalDataAbi}>Copy the journal</Copy>
            <Button variant="default" onClick={() => downloadJson('seal.json', seal)}>
              Save the seal
            </Button>
          </Group>
        </>
      )}
      {decode.data && (
        <>
          <Warnings title="Read this before you compress" of={decode.data.details.warnings} />
          <Facts of={{ Values: decode.data.journalValues.join(', ') }} />
          <Code block className="rows" tabIndex={0} role="region" aria-label="Solidity code">
            {decode.data.solidityCodeSnippet}
          </Code>
          <Group>
            <Copy text={decode.data.solidityCodeSnippet} />
          </Group>
        </>
      )}
    </Section>
  );
}
