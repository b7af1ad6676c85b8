import { utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { alteringHeader } from './http/altering-headers.ts';
import { type RedactionPolicy, redactionPolicy, redactionSchema, redactsRequest } from './redaction/schema.ts';
import { isServerName } from './tlsnotary/server-name.ts';

/** Methods that can be proven. */
export const PROVABLE_METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'CONNECT',
  'OPTIONS',
  'TRACE',
] as const;
export type ProvableMethod = (typeof PROVABLE_METHODS)[number];

/** Most plaintext bytes of a response that are proven; the default too. */
export const MAX_RECV_DATA = 92_160;

const MAX_URL_LENGTH = 8_192;
const MAX_HEADERS = 100;
const MAX_HEADER_LENGTH = 8_192;
/** Most bytes of a request body, in UTF-8. */
export const MAX_REQUEST_BODY = 262_144;

/** Set by the prover, or would change how the message is framed. */
const REFUSED_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'te',
  'keep-alive',
  'proxy-connection',
]);

const HEADER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):(.*)$/su;
/** Neither control characters (CR, LF, NUL) nor halves of surrogate pairs; a tab is fine. */
const HEADER_VALUE = /^[\t\x20-\x7e\u0080-\u{10ffff}]*$/u;

/** A header line taken apart: name in lower case, value without the white space around it. Null when malformed. */
export function parseHeaderLine(line: string): { readonly name: string; readonly value: string } | null {
  const [, name, rest] = HEADER.exec(line) ?? [];
  if (name === undefined || rest === undefined || !rest.isWellFormed() || !HEADER_VALUE.test(rest)) return null;
  return { name: name.toLowerCase(), value: trimBlanks(rest) };
}

/** Tabs and spaces only. Not by a pattern: one that looks for the end takes quadratic time over blanks in the middle. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (start < end && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

const headerLine = z
  .string()
  .max(MAX_HEADER_LENGTH)
  .superRefine((line, context) => {
    const header = parseHeaderLine(line);
    if (header === null) {
      context.addIssue('not of the form "Header-Name: value", or with control characters');
      return;
    }
    const altered = alteringHeader(header.name);
    if (altered !== null) {
      context.addIssue(
        `the header ${header.name} is refused: it asks for ${altered}, which the proof would not show; leave it out`,
      );
    } else if (REFUSED_HEADERS.has(header.name)) context.addIssue(`the header ${header.name} is set by the prover`);
    else if (header.name === 'connection' && header.value.toLowerCase() !== 'close') {
      context.addIssue('the connection is always closed after one answer: leave the header connection out');
    }
  });

const targetUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .superRefine((text, context) => {
    const problem = targetProblem(text);
    if (problem !== null) context.addIssue(problem);
  });

/** Of a URL that was parsed: without the trailing dot, which addresses the same server. */
export function serverNameOf(url: URL): string {
  return url.hostname.replace(/\.$/, '');
}

function targetProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'not a URL';
  if (url.protocol !== 'https:') return 'only https URLs can be proven';
  if (url.username !== '' || url.password !== '') return 'the URL must not hold a user name or password';
  if (!isServerName(serverNameOf(url))) {
    return 'the host must be a DNS name: nothing else can be proven by a certificate';
  }
  return null;
}

const proveFields = {
  url: targetUrl.meta({
    format: 'uri',
    pattern: '^https://',
    description: 'HTTPS only; redirects are not followed.',
  }),
  method: z.enum(PROVABLE_METHODS).default('GET'),
  headers: z.array(headerLine).max(MAX_HEADERS).default([]).describe('Lines of the form `Header-Name: value`.'),
  body: z
    .string()
    .refine((body) => body.isWellFormed(), 'not well-formed text')
    .refine((body) => utf8ToBytes(body).length <= MAX_REQUEST_BODY, `longer than ${MAX_REQUEST_BODY} bytes`)
    .nullable()
    // As transcripts say that there is none.
    .transform((body) => body ?? undefined)
    .optional()
    .describe('Null is no body.'),
  maxRecvData: z
    .int()
    .min(1)
    .max(MAX_RECV_DATA)
    .default(MAX_RECV_DATA)
    .describe('Most bytes of the response, head included, that are accepted.'),
  redaction: redactionSchema.default([]),
  refuseShortValues: z
    .boolean()
    .optional()
    .describe(
      'Refuse to hide booleans, null and values of fewer than 8 bytes, since their length, which stays visible, tells too much about them.',
    ),
};

/** Rules that concern more than one field. */
function checkTogether(
  request: { method: ProvableMethod; body?: string | undefined; redaction: z.output<typeof redactionSchema> },
  context: z.RefinementCtx,
): void {
  if (request.body !== undefined && (request.method === 'TRACE' || request.method === 'CONNECT')) {
    context.addIssue({ code: 'custom', path: ['body'], message: `${request.method} has no body` });
  }
  if (request.method === 'TRACE' && redactsRequest(redactionPolicy(request.redaction))) {
    const message = 'TRACE makes the server repeat the request, so nothing of the request can be hidden';
    context.addIssue({ code: 'custom', path: ['redaction'], message });
  }
}

/** What a notary is asked: a prove request without the choice of the notary. */
export const notarizeRequestSchema = z.strictObject(proveFields).superRefine(checkTogether);
/** A request to prove, checked. */
export type NotarizeRequest = z.output<typeof notarizeRequestSchema>;

/** What a request asks to hide. */
export function policyOf({ redaction, refuseShortValues }: NotarizeRequest): RedactionPolicy {
  return redactionPolicy(redaction, refuseShortValues);
}

/** What a web proof is asked for with. */
export const proveRequestSchema = z
  .strictObject({
    ...proveFields,
    notaryUrl: z
      .string()
      .max(MAX_URL_LENGTH)
      .optional()
      .describe(
        'URL of the notary to use: one that the operator has configured, with or without the version at its end. The default is the embedded notary of this service.',
      ),
  })
  .superRefine(checkTogether);
export type ProveRequest = z.output<typeof proveRequestSchema>;
