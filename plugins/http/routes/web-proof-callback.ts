/** `POST /web-proofs/callback`: the web-proof webhook of the client-side flow (docs/specification/web-proofs.md#events). */
import { z } from 'zod';
import type { AcceptWebProof } from '../../../core/engagement/connections/accept-web-proof.ts';
import {
  TIMESTAMP_TOLERANCE_SECONDS,
  verifyServiceSignature,
  verifyStandardSignature,
} from '../../../core/engagement/webhooks/signature.ts';
import { DomainError, isDomainError } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json-reader.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { foreignWebProofSchema, type WebProof } from '../../../core/web-proof/web-proof.ts';
import { defineRoute, reply, type UnreadRequest } from '../route.ts';
import { dataOf, platformName } from '../schemas.ts';
import { PROFILE_ERRORS, READ_ERRORS } from './read-errors.ts';

export interface WebProofCallbackDeps {
  readonly acceptWebProof: AcceptWebProof;
  /** `whsec_…`, shared with the sender; without one every call is refused. */
  readonly secret: string | undefined;
  readonly clock: Clock;
}

/** How long the platform may take to tell an account id that a proof does not show. */
const LOOK_UP_DEADLINE_MS = 20_000;

/** The presentation as an object, or as JSON text of one. */
const presentationJson = z.union([
  foreignWebProofSchema,
  z
    .string()
    .max(3 * 1024 * 1024)
    .transform((text, context): WebProof => {
      const parsed = foreignWebProofSchema.safeParse(readJson(text));
      if (parsed.success) return parsed.data;
      context.addIssue({ code: 'custom', message: 'is not the JSON of a web proof' });
      return z.NEVER;
    }),
]);

const callbackBody = z
  .object({
    requestId: z.string().min(1).max(200).meta({ description: 'Of the connection request.' }),
    presentationJson: presentationJson.optional(),
    webProofs: z.array(z.object({ presentationJson })).min(1).max(4).optional(),
  })
  .refine(({ presentationJson: one, webProofs }) => one !== undefined || webProofs !== undefined, {
    message: 'presentationJson is missing',
    path: ['presentationJson'],
  });

export function createWebProofCallbackRoutes(deps: WebProofCallbackDeps) {
  return [
    defineRoute('webProofCallback', 'POST /web-proofs/callback', {
      tag: 'Creators',
      summary: 'Link an account by a web proof of its profile',
      description:
        'Signed as our own webhooks are: `X-Service-Signature`, or the Standard Webhooks headers. Two kinds of proof are accepted. The first shows the public profile of the handle, read from an address of the platform, with the one-time code in its bio. It hides nothing, and its request has no cookies. The second shows the answer about the logged-in account. Its request shows the code in the header or parameter that `webProof` of the connection request names. It may hide values of request headers. It may hide parts of the response only if its notary signs the values it shows, as Credence’s own does. The link records the platform’s account id. A call may be repeated: the proof that connected a request gets the same answer again, and is refused for any other request.',
      access: 'callback',
      body: callbackBody,
      checkHeaders: (header) => demandSignatureHeaders(deps, header),
      checkSender: (request) => demandSignature(deps, request),
      maxBodyBytes: 8 * 1024 * 1024,
      responses: {
        200: {
          description: 'The account is linked, with ownership proven.',
          schema: dataOf(
            z.object({
              requestId: z.string(),
              status: z.literal('connected'),
              socialAccount: z.object({
                id: z.int(),
                platform: platformName,
                platformUsername: z.string(),
                ownershipProven: z.boolean(),
              }),
            }),
          ),
        },
      },
      errors: [
        'UNAUTHORIZED',
        'NOT_FOUND',
        'CONFLICT',
        'INVALID_PRESENTATION',
        'VALIDATION_ERROR',
        ...PROFILE_ERRORS,
        ...READ_ERRORS,
      ],
      handle: async ({ body, signal }) => {
        const { requestId, presentationJson: one, webProofs = [] } = body;
        const options = { signal, deadline: new Date(deps.clock.now().getTime() + LOOK_UP_DEADLINE_MS) };
        const refusals: unknown[] = [];
        for (const webProof of [one, ...webProofs.map((each) => each.presentationJson)]) {
          if (webProof === undefined) continue;
          try {
            const { account } = await deps.acceptWebProof({ requestId, webProof }, options);
            return reply(200, { data: { requestId, status: 'connected' as const, socialAccount: account } });
          } catch (error) {
            // Of a flow with several proofs, one shows the profile.
            if (!isDomainError(error, 'VALIDATION_ERROR', 'INVALID_PRESENTATION', 'CONFLICT')) throw error;
            refusals.push(error);
          }
        }
        throw refusals[0];
      },
    }),
  ];
}

/** What cannot be signed is not read: it would take memory from the calls that are. */
function demandSignatureHeaders(
  { secret, clock }: WebProofCallbackDeps,
  header: (name: string) => string | undefined,
): void {
  if (secret === undefined) throw notConfigured();
  const standard = header('webhook-signature');
  if (standard === undefined) {
    if (/^[A-Za-z0-9+/]{43}=$/.test(header('x-service-signature') ?? '')) return;
    throw unsigned();
  }
  const sentAt = Number(header('webhook-timestamp') ?? Number.NaN);
  const isRecent = Math.abs(clock.now().getTime() / 1_000 - sentAt) <= TIMESTAMP_TOLERANCE_SECONDS;
  const isWellFormed = standard.split(' ').some((one) => /^v1,[A-Za-z0-9+/]{43}=$/.test(one));
  if (!isRecent || !isWellFormed || header('webhook-id') === undefined) throw unsigned();
}

function notConfigured(): DomainError {
  return new DomainError(
    'NOT_SUPPORTED',
    'Web-proof callbacks are not configured here: set WEB_PROOF_CALLBACK_SECRET.',
  );
}

function unsigned(): DomainError {
  return new DomainError('UNAUTHORIZED', 'The signature does not fit the body.');
}

/**
 * The signature covers the bytes (docs/specification/engagement.md#events): a sender who cannot sign them is told nothing of
 * what they say.
 */
function demandSignature({ secret, clock }: WebProofCallbackDeps, { rawBody, header }: UnreadRequest): void {
  if (secret === undefined) throw notConfigured();
  if (rawBody === null) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The signature covers the raw body, but the host has parsed it already: mount Credence before express.json().',
    );
  }
  const standard = {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
  };
  const holds =
    standard.signature === undefined
      ? verifyServiceSignature(secret, header('x-service-signature'), rawBody)
      : verifyStandardSignature(secret, standard, rawBody, clock.now());
  if (!holds) throw unsigned();
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
