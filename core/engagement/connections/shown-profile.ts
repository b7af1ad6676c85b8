/** Reads the one profile object of an answer, at the place that the platform's rules name, in steps. */
import { EACH, type JsonStep, type OwnAccountEndpoint, type ProfileEndpoint } from '../../platforms/ownership-rules.ts';
import { elementPath, memberPath, ROOT_PATH } from '../../web-proof/extraction/canonical-path.ts';
import type { JournalValue } from '../../web-proof/extraction/journal-value.ts';
import {
  type JsonDocument,
  type JsonLimits,
  readJson,
  UnreadableJsonError,
} from '../../web-proof/extraction/read-json.ts';
import { headersNamed } from '../../web-proof/http/message.ts';
import { decodeUtf8 } from '../../web-proof/http/text.ts';
import type { ByteRange } from '../../web-proof/tlsnotary/ranges.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';
import { NoEvidence } from './no-evidence.ts';
import { scriptsWith } from './page-scripts.ts';

export interface ShownProfile {
  /** As the platform writes it. */
  readonly handle: string;
  /** Null when the endpoint's answers have none. */
  readonly accountId: string | null;
  /** Null for the logged-in account. */
  readonly bio: string | null;
}

type Endpoint = ProfileEndpoint | OwnAccountEndpoint;

const LIMITS: JsonLimits = { maxBytes: 2 * 1024 * 1024, maxDepth: 128, maxScalars: 0, maxPathLength: 512 };
const ACCOUNT_ID = /^[1-9]\d{0,29}$/;

/** @throws NoEvidence unless the answer shows exactly one profile, with its handle, id and bio all visible */
export function shownProfile(proof: VerifiedWebProof, endpoint: Endpoint): ShownProfile {
  const script = 'script' in endpoint ? endpoint.script : undefined;
  demandWholeText(proof);
  const { content } = proof.response;
  if (content === null)
    throw new NoEvidence('its answer cannot be decoded: accept no encodings but gzip, deflate, br and zstd');
  if (script === undefined) {
    return onlyOne(profilesAt([wayTo(endpoint.profile.at)], content.bytes, content.hidden, endpoint), endpoint);
  }
  const page = content.hidden.length > 0 ? null : decodeUtf8(content.bytes);
  if (page === null) throw new NoEvidence('its page is hidden in part or is not UTF-8: hide nothing of a page');
  const blocks = scriptsWith(page, script);
  if ('id' in script && blocks.length > 1) throw new NoEvidence('its page has its data twice');
  const encoder = new TextEncoder();
  const shown: ShownProfile[] = [];
  for (const block of blocks) {
    for (const profile of profilesIn(encoder.encode(block), endpoint)) shown.push(profile);
  }
  return onlyOne(shown, endpoint);
}

/**
 * The endpoint decides what the bytes are, JSON or a page, not their label. Only a label that makes another text of the same
 * bytes is refused: another charset, several parts, or a range of a larger answer.
 */
function demandWholeText({ response }: VerifiedWebProof): void {
  const [type = '', ...parameters] = headersNamed(response, 'content-type')
    .map(({ value }) => value.toLowerCase())
    .join(';')
    .split(';')
    .map((part) => part.trim());
  const isText = !type.startsWith('multipart/') && parameters.every((each) => /^charset="?utf-8"?$/.test(each));
  if (!isText || headersNamed(response, 'content-range').length > 0) {
    throw new NoEvidence('its answer is not one whole text in UTF-8');
  }
}

/** The profiles of one block of a page. An object without the member of the bio is not a profile but a mention of one. */
function profilesIn(block: Uint8Array, endpoint: Endpoint): ShownProfile[] {
  const { text } = read(block, [], []);
  const { profile } = endpoint;
  const paths = objectsAtPath(text, profile.at, 'bio' in profile ? profile.bio : null);
  return paths.length === 0 ? [] : profilesAt(paths, block, [], endpoint);
}

function onlyOne(profiles: readonly ShownProfile[], endpoint: Endpoint): ShownProfile {
  const [first, ...others] = profiles;
  if (first === undefined) throw new NoEvidence(`its answer shows no profile at ${wayTo(endpoint.profile.at)}`);
  const same = others.every(
    ({ handle, accountId, bio }) => handle === first.handle && accountId === first.accountId && bio === first.bio,
  );
  if (!same) throw new NoEvidence(`its answer shows several profiles at ${wayTo(endpoint.profile.at)}`);
  return first;
}

/** The profiles at these canonical paths; the body is read once, however many they are. */
function profilesAt(
  paths: readonly string[],
  body: Uint8Array,
  hidden: readonly ByteRange[],
  { profile }: Endpoint,
): ShownProfile[] {
  const bio = 'bio' in profile ? profile.bio : null;
  const members = [profile.handle, ...profile.accountId, ...(bio === null ? [] : [bio])];
  const wanted: string[] = [];
  for (const path of paths) {
    for (const member of members) wanted.push(memberPath(path, member));
  }
  const { wanted: found } = read(body, hidden, wanted);
  const profiles: ShownProfile[] = [];
  for (const path of paths) {
    const accountPaths = profile.accountId.map((member) => memberPath(path, member));
    profiles.push({
      handle: textAt(found, memberPath(path, profile.handle)),
      accountId: accountPaths.length === 0 ? null : accountIdAt(found, accountPaths),
      bio: bio === null ? null : textAt(found, memberPath(path, bio)),
    });
  }
  return profiles;
}

function read(body: Uint8Array, hidden: readonly ByteRange[], wanted: readonly string[]): JsonDocument {
  try {
    return readJson(body, hidden, LIMITS, wanted);
  } catch (error) {
    if (error instanceof UnreadableJsonError) throw new NoEvidence(`its JSON cannot be read: ${error.message}`);
    throw error;
  }
}

function textAt(found: ReadonlyMap<string, JournalValue>, path: string): string {
  const value = found.get(path);
  if (value?.kind !== 'string') throw new NoEvidence(`its answer has no visible text at ${path}`);
  return value.text;
}

function accountIdAt(found: ReadonlyMap<string, JournalValue>, paths: readonly string[]): string {
  const ids = new Set(paths.flatMap((path) => found.get(path)?.text ?? []));
  const [id] = ids;
  if (id === undefined || ids.size > 1 || !ACCOUNT_ID.test(id)) {
    throw new NoEvidence(`its answer has no account id at ${paths.join(' or ')}`);
  }
  return id;
}

/** The way as a path, with `[*]` for every element. */
function wayTo(steps: readonly JsonStep[]): string {
  return steps.reduce<string>((path, step) => {
    if (step === EACH) return `${path}[*]`;
    return typeof step === 'number' ? elementPath(path, step) : memberPath(path, step);
  }, ROOT_PATH);
}

/**
 * Finds the canonical paths of the objects at the end of a path of steps, in their order.
 * @param text of a `JsonDocument`, in which no name occurs twice in one object.
 * @param member that the objects have; null if none is needed.
 */
function objectsAtPath(text: string, steps: readonly JsonStep[], member: string | null): string[] {
  const paths: string[] = [];
  const walk = (value: unknown, path: string, [step, ...rest]: readonly JsonStep[]): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    if (step === undefined) {
      if (!isList && (member === null || Object.hasOwn(value, member))) paths.push(path);
    } else if (isList) {
      value.forEach((each, at) => {
        if (step === EACH || step === at) walk(each, elementPath(path, at), rest);
      });
    } else if (typeof step === 'string' && Object.hasOwn(value, step)) {
      walk((value as Readonly<Record<string, unknown>>)[step], memberPath(path, step), rest);
    }
  };
  walk(JSON.parse(text), ROOT_PATH, steps);
  return paths;
}
