/**
 * The request side of the rules: which endpoint a proven request asks, and about whom. Everything in it that could make the
 * platform show something else, or repeat something the client sent, is refused.
 */

import type { PlatformDescriptor } from '../../platforms/descriptor.ts';
import {
  HANDLE,
  type OwnAccountEndpoint,
  type OwnershipRules,
  type ProfileEndpoint,
} from '../../platforms/ownership-rules.ts';
import { hasSignedValues } from '../../web-proof/attested-values/signed-values.ts';
import { HTTPS_PORT, signedServer } from '../../web-proof/host-binding.ts';
import { headersNamed } from '../../web-proof/http/message.ts';
import { decodeLatin1 } from '../../web-proof/http/text.ts';
import type { ByteRange } from '../../web-proof/tlsnotary/ranges.ts';
import { anyHidden } from '../../web-proof/tlsnotary/visible-bytes.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';
import { CODE_HEADER, CODE_PARAMETER } from './connection.ts';
import { NoEvidence } from './no-evidence.ts';

export type AllowedRequest =
  | { readonly kind: 'profile'; readonly endpoint: ProfileEndpoint; readonly handle: string }
  | { readonly kind: 'own-account'; readonly endpoint: OwnAccountEndpoint };

/** What browsers and provers send to any site. None of them names a resource, a method, a viewer or a part of the answer. */
const USUAL_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'alt-used',
  'cache-control',
  'connection',
  'device-memory',
  'dnt',
  'downlink',
  'dpr',
  'ect',
  'host',
  'origin',
  'pragma',
  'priority',
  'referer',
  'rtt',
  'save-data',
  'te',
  'upgrade-insecure-requests',
  'user-agent',
  'viewport-width',
  'x-requested-with',
]);
const USUAL_FAMILIES = /^sec-(?:fetch-|ch-|gpc$)/;
/** They say who is logged in. */
const SESSION_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', CODE_HEADER]);

/** Nothing that is escaped, or that a server may straighten out. */
const TARGET = /^(\/[A-Za-z0-9._@/-]*)(?:\?([A-Za-z0-9._=&-]*))?$/;
const HANDLE_TEXT = /^[A-Za-z0-9._]{1,32}$/;

/** @throws NoEvidence naming what of the request is not allowed */
export function allowedRequest(proof: VerifiedWebProof, platform: PlatformDescriptor, code: string): AllowedRequest {
  const { label, ownership: rules } = platform;
  if (rules === undefined) throw new NoEvidence(`a profile of ${label} cannot be proven by a web proof: use the bio`);
  const host = certainHost(proof);
  if (![...rules.profiles, ...rules.ownAccount].some(({ hosts }) => hosts.includes(host))) {
    throw new NoEvidence(`it is from ${host}, not from ${label}`);
  }
  if (proof.request.method !== 'GET' || proof.response.status !== 200) {
    throw new NoEvidence('it is not a GET request that was answered with 200');
  }
  const [, path = '', query] = TARGET.exec(proof.request.target) ?? [];
  if (path === '') throw new NoEvidence('its URL is not a plain path and query: use no escapes, and no absolute URL');
  if (proof.request.body.bytes.length > 0) throw new NoEvidence('its request has a body');
  const parameters = readQuery(query);
  for (const endpoint of rules.ownAccount) {
    if (!endpoint.hosts.includes(host) || !isPath(path, endpoint.path)) continue;
    demandHeaders(proof, rules, SESSION_HEADERS);
    const { [CODE_PARAMETER]: _code, ...others } = Object.fromEntries(parameters);
    demandParameters(new Map(Object.entries(others)), endpoint.query, platform);
    demandCode(proof, parameters, code);
    return { kind: 'own-account', endpoint };
  }
  for (const endpoint of rules.profiles) {
    const inPath = endpoint.hosts.includes(host) ? handleInPath(path, endpoint.path, platform) : null;
    if (inPath === null) continue;
    demandAllVisible(proof, rules, code);
    const inQuery = demandParameters(parameters, endpoint.query, platform);
    return { kind: 'profile', endpoint, handle: inPath || inQuery };
  }
  throw new NoEvidence(`${path} of ${host} is no page or answer that shows one profile`);
}

/** The host of a request, whose Host header is visible or signed by a notary of Credence, and names no port but 443. */
function certainHost(proof: VerifiedWebProof): string {
  const { request, transcript, hostConfirmed, urlHidden, serverName } = proof;
  const [header] = headersNamed(request, 'host');
  if (header === undefined || !hostConfirmed || urlHidden) throw new NoEvidence('its URL or its Host header is hidden');
  if (anyHidden(transcript.sent, header.line.start, header.line.end)) {
    const signed = signedServer(proof.extensions);
    if (signed?.port !== HTTPS_PORT || !isHiddenByNotary(proof, header.line)) {
      throw new NoEvidence('its URL or its Host header is hidden');
    }
    return signed.name;
  }
  if (header.value !== serverName && header.value !== `${serverName}:443`) {
    throw new NoEvidence(`its Host header is not written as ${serverName}`);
  }
  return serverName;
}

/** The public answer about a profile needs no session: nothing of the client can be in it. */
function demandAllVisible(proof: VerifiedWebProof, rules: OwnershipRules, code: string): void {
  demandHeaders(proof, rules, new Set());
  if (proof.transcript.sent.hidden.length > 0) {
    throw new NoEvidence(
      'its request is hidden in part: hide nothing when you prove a profile with the code in its bio',
    );
  }
  if (decodeLatin1(proof.transcript.sent.bytes).toLowerCase().includes(code.toLowerCase())) {
    throw new NoEvidence('its request contains the code, so the code in the answer proves nothing');
  }
}

function demandHeaders(proof: VerifiedWebProof, rules: OwnershipRules, more: ReadonlySet<string>): void {
  const { request, transcript } = proof;
  const seen = new Set<string>();
  for (const { name, value, opaque, nameRange, valueRange } of request.headers) {
    if (opaque || anyHidden(transcript.sent, nameRange.start, nameRange.end)) {
      throw new NoEvidence('the name of a request header is hidden');
    }
    const isKnown =
      USUAL_HEADERS.has(name) || USUAL_FAMILIES.test(name) || more.has(name) || rules.headers.includes(name);
    if (!isKnown) {
      throw new NoEvidence(`its request has the header ${name}, which may change the answer: leave it out`);
    }
    if (seen.has(name)) throw new NoEvidence(`its request has the header ${name} twice`);
    seen.add(name);
    // It could name other headers, which are then not for the platform. A notary that signs values sends `close`.
    if (name === 'connection' && !/^(?:close|keep-alive)$/i.test(value) && !isHiddenByNotary(proof, valueRange)) {
      throw new NoEvidence('its Connection header is neither close nor keep-alive');
    }
  }
}

function isHiddenByNotary(proof: VerifiedWebProof, { start, end }: ByteRange): boolean {
  return proof.notarization !== 'blind' && anyHidden(proof.transcript.sent, start, end) && hasSignedValues(proof);
}

/** The proof was made for this request: its code is visible in what was sent. */
function demandCode(
  { request, transcript }: VerifiedWebProof,
  parameters: ReadonlyMap<string, string>,
  code: string,
): void {
  const [header] = headersNamed(request, CODE_HEADER);
  const isHidden = header !== undefined && anyHidden(transcript.sent, header.line.start, header.line.end);
  const given = [header?.value, parameters.get(CODE_PARAMETER)].filter((value) => value !== undefined);
  if (isHidden || given.length === 0 || given.some((value) => value !== code)) {
    throw new NoEvidence(
      `its request does not show the one-time code: send the header ${CODE_HEADER}, or the parameter ${CODE_PARAMETER}, with the code from the connect page, and do not hide it`,
    );
  }
}

/** @throws NoEvidence for a parameter that occurs twice or has no value */
function readQuery(query: string | undefined): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const part of query === undefined ? [] : query.split('&')) {
    const [name = '', value, ...rest] = part.split('=');
    if (name === '' || value === undefined || rest.length > 0) throw new NoEvidence('its query is malformed');
    if (parameters.has(name)) throw new NoEvidence(`its URL has the parameter ${name} twice`);
    parameters.set(name, value);
  }
  return parameters;
}

/** Checks every parameter, and returns the handle among them; '' when the rule has none. */
function demandParameters(
  parameters: ReadonlyMap<string, string>,
  allowed: Readonly<Record<string, RegExp | typeof HANDLE>>,
  platform: PlatformDescriptor,
): string {
  for (const [name, value] of parameters) {
    const rule = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (rule === undefined) throw new NoEvidence(`its URL has the parameter ${name}: leave it out`);
    if (rule !== HANDLE && !rule.test(value)) throw new NoEvidence(`its URL has a parameter ${name} of another form`);
  }
  const name = Object.keys(allowed).find((key) => allowed[key] === HANDLE);
  return name === undefined ? '' : plainHandle(parameters.get(name) ?? '', platform);
}

function isPath(path: string, rule: string): boolean {
  return path === rule || path === `${rule}/`;
}

/** The handle that a path names; '' when the rule's path has none, null when the path is another. */
function handleInPath(path: string, rule: string, platform: PlatformDescriptor): string | null {
  const [before = '', after] = rule.split(HANDLE);
  if (after === undefined) return isPath(path, rule) ? '' : null;
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  if (!bare.startsWith(before) || !bare.endsWith(after)) return null;
  const handle = bare.slice(before.length, bare.length - after.length);
  return HANDLE_TEXT.test(handle) ? plainHandle(handle, platform) : null;
}

/**
 * A handle in lower case. Only what is ASCII before that: U+212A, the sign of the kelvin, becomes a `k`.
 * @throws NoEvidence for what cannot be a handle
 */
export function plainHandle(text: string, platform: PlatformDescriptor): string {
  const handle = text.toLowerCase();
  if (!HANDLE_TEXT.test(text) || !platform.isHandle(handle)) throw new NoEvidence('it names no handle');
  return handle;
}
