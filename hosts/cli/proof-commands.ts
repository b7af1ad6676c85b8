/** `prove`, `verify`, `compress`: web proofs from files. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { plainIssues } from '../../core/plain-issue.ts';
import { tellsOfIdleRule } from '../../core/web-proof/redaction/warnings.ts';
import { warningsOf } from '../../plugins/client/warnings.ts';
import { printWarnings } from './api-commands.ts';
import { onFile, readJson } from './files.ts';
import { dataOf, format } from './output.ts';
import { checkFingerprint, collect, readRoots, redactionOf } from './proof-options.ts';
import { callFor, type Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

const MAX_PROOF_BYTES = 3 * 1024 * 1024;

/** Adds `prove`, `verify` and `compress`. */
export function addProofCommands(program: Command, around: Surroundings): void {
  addProve(program, around);
  addVerify(program, around);
  addCompress(program, around);
}

function addProve(program: Command, around: Surroundings): void {
  program
    .command('prove')
    .description('asks an instance for a web proof of a URL')
    .argument('<url>', 'an https URL')
    .option('--method <method>', 'GET by default')
    .option('--header <line>', 'NAME: VALUE; may be repeated', collect, [])
    .option('--body <text>', 'the body of the request')
    .option('--hide <place:name>', 'hides a value, for example response.json:email; may be repeated', collect, [])
    .option(
      '--show-only <place:name>',
      'hides all values of that place but the named ones; may be repeated',
      collect,
      [],
    )
    .option(
      '--allow-unmatched',
      'writes the proof also if a name to hide or to show matches nothing, or cannot be hidden',
    )
    .option('-o, --output <file>', 'writes the proof into a file')
    .option('--blind', 'makes the request here, by MPC-TLS with the blind notary at --url; it never has what is hidden')
    .option('--fingerprint <hex>', 'with --blind: the key of the notary')
    .option('--roots <file>', "with --blind: PEM certificates that are trusted besides Node's own")
    .option('--allow <cidr>', 'with --blind: addresses to reach besides public ones; may be repeated', collect, [])
    .action(async (url: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ProveOptions>();
      const body = {
        url,
        method: options.method,
        headers: options.header.length === 0 ? undefined : options.header,
        body: options.body,
        redaction: redactionOf(options.hide, options.showOnly),
      };
      if (options.blind !== true) {
        refuseBlindOnly(options);
        const answer = await callFor(around, command, ['proofs', 'prove'], { body });
        return deliver(dataOf(answer), options, 'proof', around);
      }
      const { describeProgress, proveBlind } = await import('./blind-prove.ts');
      const proof = await proveBlind(body, {
        notary: await around.target(command),
        fingerprint: options.fingerprint,
        roots: await readRoots(options.roots),
        allow: options.allow,
        onProgress: (progress) => around.printError(describeProgress(progress)),
        signal: around.signal,
      });
      await deliver(proof, options, 'proof', around);
    });
}

function addVerify(program: Command, around: Surroundings): void {
  program
    .command('verify')
    .description('verifies a web proof, offline')
    .argument('<file>', 'a web proof as `prove` wrote it')
    .option('--roots <file>', "PEM certificates that are trusted besides Node's own")
    .option('--trust <fingerprint>', 'a notary key that must have signed it; may be repeated', collect, [])
    .addHelpText('after', VERIFY_HELP)
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<{ trust: readonly string[]; roots?: string; json?: boolean }>();
      const roots = await readRoots(options.roots);
      for (const fingerprint of options.trust) checkFingerprint('--trust', fingerprint);
      const transcript = await verifyOffline(await readProof(file), roots, options.trust);
      if (options.trust.length > 0 && !transcript.notaryTrusted) {
        throw new ProofRefusal(
          'NOTARY_NOT_TRUSTED',
          `The proof holds, but its notary ${transcript.notaryKeyFingerprint} is none of those given with --trust.`,
        );
      }
      const notaryChecked = options.trust.length > 0;
      if (options.json === true) return around.print(JSON.stringify({ notaryChecked, ...transcript }, null, 2));
      const { serverDomain, hostConfirmed, notaryKeyFingerprint, notarization, tlsTimestamp, request, response } =
        transcript;
      const summary = {
        server: serverDomain,
        hostConfirmed,
        notary: notaryKeyFingerprint,
        ...(notarization === undefined ? {} : { notarization }),
        time: new Date(tlsTimestamp * 1_000).toISOString(),
        request: `${request.method} ${request.url}`,
        status: response.status,
        body: response.body,
      };
      around.print(`${verdict(notaryChecked, hostConfirmed)}\n${format(summary, 'text')}`);
    });
}

function addCompress(program: Command, around: Surroundings): void {
  program
    .command('compress')
    .description('asks an instance for a zero-knowledge proof of values of a web proof')
    .argument('<file>', 'a web proof as `prove` wrote it')
    .option('--query <jmespath>', 'a value of the response body to prove; may be repeated', collect, [])
    .option('--accept-request-body', 'seals a request with a body, which the journal does not show')
    .option('-o, --output <file>', 'writes the seal and the journal into a file')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Output & { query: readonly string[]; acceptRequestBody?: boolean }>();
      const body = {
        presentation: await readProof(file),
        ...(options.query.length === 0 ? {} : { extraction: { 'response.body': { jmespath: options.query } } }),
        acceptRequestBody: options.acceptRequestBody,
      };
      const answer = await callFor(around, command, ['proofs', 'compress'], { body });
      await deliver(dataOf(answer), options, 'seal', around);
    });
}

const VERIFY_HELP = `
Without --trust, the notary is not checked: anyone can run one, and sign what never happened.
Exit codes: 0 if the proof holds and, with --trust, one of those notaries signed it; 1 if not; 2 if called wrongly.
With --json, notaryChecked says whether --trust was given, and notaryTrusted whether one of those notaries signed.`;

function verdict(notaryChecked: boolean, hostConfirmed: boolean): string {
  const ofNotary = notaryChecked
    ? 'The proof holds, and a notary that you trust signed it.'
    : 'The proof holds, but its notary was not checked: anyone can run one. Name the key that you expect with --trust.';
  return hostConfirmed ? ofNotary : `${ofNotary} The name of its server is not confirmed.`;
}

/** Where the answer goes: to the terminal, or into a file. */
interface Output {
  readonly output?: string;
  readonly allowUnmatched?: boolean;
  readonly json?: boolean;
}

interface ProveOptions extends Output {
  readonly method?: string;
  readonly header: readonly string[];
  readonly body?: string;
  readonly hide: readonly string[];
  readonly showOnly: readonly string[];
  readonly blind?: boolean;
  readonly fingerprint?: string;
  readonly roots?: string;
  readonly allow: readonly string[];
}

/** @throws UsageError for an option that would have no effect: the instance has its own notaries, roots and addresses */
function refuseBlindOnly({ fingerprint = '', roots = '', allow }: ProveOptions): void {
  const given = Object.entries({ fingerprint, roots, allow }).find(([, value]) => value.length > 0);
  if (given === undefined) return;
  throw new UsageError(
    `--${given[0]} counts with --blind only: without, the instance makes the request. Add --blind, or leave it out.`,
  );
}

/** A proof that is not what was asked for: it shows what was to be hidden, or nobody who was named signed it. */
export class ProofRefusal extends Error {
  override readonly name = 'ProofRefusal';
  /** For programs. */
  readonly code: 'REDACTION_UNMATCHED' | 'NOTARY_NOT_TRUSTED';

  constructor(code: ProofRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Prints what was made, or writes it to the file of `--output`; a proof may show more than was meant to be shown. */
async function deliver(
  made: unknown,
  { output, json, allowUnmatched }: Output,
  what: 'proof' | 'seal',
  around: Surroundings,
): Promise<void> {
  printWarnings({ data: made }, around);
  if (what === 'proof' && allowUnmatched !== true && warningsOf({ data: made }).some(tellsOfIdleRule)) {
    throw new ProofRefusal(
      'REDACTION_UNMATCHED',
      'The proof is not written: it may show what you meant to hide. Fix --hide and --show-only, or give --allow-unmatched.',
    );
  }
  const text = JSON.stringify(made, null, 2);
  if (output === undefined) return around.print(text);
  await onFile(output, 'written', () => writeFile(output, `${text}\n`));
  around.print(json === true ? JSON.stringify({ file: output }) : `The ${what} is in ${output}.`);
}

/** @throws UsageError for a file that is missing or holds no web proof */
const readProof = (file: string) => readJson(file, 'a web proof as `credence prove` wrote it', MAX_PROOF_BYTES);

/** Verifies in this process: nothing is sent anywhere. `trusted` are the fingerprints whose proofs count as trusted. */
async function verifyOffline(proof: unknown, extraRoots: readonly string[], trusted: readonly string[]) {
  const kit = await import('credence/kit/verify');
  const verify = kit.createVerifyWebProof({
    certificates: kit.createX509CertificateChecker({ extraRoots: [...extraRoots] }),
    decoder: kit.createZlibContentDecoder(),
    trustedNotaries: kit.createTrustedNotaries(trusted.map((fingerprint) => ({ fingerprint }))),
    signatures: kit.createNodeSignatureVerifier(),
  });
  const parsed = kit.webProofSchema.safeParse(proof);
  if (!parsed.success) throw new UsageError(`The file holds no web proof: ${plainIssues(parsed.error)}.`);
  return kit.toVerifiedTranscriptV2(await verify(parsed.data));
}
