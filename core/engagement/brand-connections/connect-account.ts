/**
 * Connecting an account: the page of the platform to send its owner to, and what comes back from there. Nothing is stored in between:
 * the state holds who began, sealed.
 */
import { type Caller, personOf } from '../../access/token.ts';
import { DomainError } from '../../errors.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { OfficialApi } from '../../ports/official-api.ts';
import { keepIfBrandStands, requireBrand } from '../brands/own-brand.ts';
import { type BrandConnection, sealTokens } from './brand-connection.ts';
import type { ManageConnectionsDeps } from './manage-connections.ts';
import { failureOf, renewalOf, subscribe } from './renew-connections.ts';

const STATE_CONTEXT = 'brand-connection-state';
const STATE_MS = 10 * 60_000;

export interface StartConnectingInput {
  readonly brandId: number;
  readonly platform: PlatformName;
  readonly redirectUri: string;
  readonly caller: Caller;
}

export interface CompleteConnectingInput {
  readonly brandId: number;
  readonly state: string;
  readonly code: string;
  readonly caller: Caller;
}

interface State extends Pick<StartConnectingInput, 'brandId' | 'platform' | 'redirectUri'> {
  readonly person: string;
  readonly until: number;
}

/**
 * Tells where the owner of the account is sent, and the state that comes back with the code.
 * @throws DomainError `NOT_FOUND`, `NOT_SUPPORTED` without an official API, `INVALID_REQUEST` for a redirect that is not allowed
 */
export function startConnecting(deps: ManageConnectionsDeps) {
  return async ({ brandId, platform, redirectUri, caller }: StartConnectingInput) => {
    await requireBrand(deps.storage.brands, brandId);
    const api = officialApiOf(deps, platform);
    if (!api.redirectUris.includes(redirectUri)) {
      throw new DomainError(
        'INVALID_REQUEST',
        `redirectUri: add it to \`redirectUris\` of ${platform}, or use one of those.`,
      );
    }
    const until = deps.clock.now().getTime() + STATE_MS;
    const begun: State = { brandId, platform, redirectUri, person: JSON.stringify(personOf(caller)), until };
    const state = deps.secretBox.seal(JSON.stringify(begun), STATE_CONTEXT);
    const authorizationUrl = api.authorisationUrl({ redirectUri, state });
    return { authorizationUrl, state, expiresAt: new Date(until) };
  };
}

/**
 * Connects the account whose owner has agreed. The platform is asked to push its comments; if that fails, it is tried again later.
 *
 * @throws DomainError `INVALID_REQUEST` for a state or a code that is not taken, `FORBIDDEN` for a state of another caller, `CONFLICT`
 * if another brand has connected the account. Else what the API throws.
 */
export function completeConnecting(deps: ManageConnectionsDeps) {
  const { storage, secretBox, clock } = deps;
  return async ({ brandId, state, code, caller }: CompleteConnectingInput) => {
    const begun = openState(deps, state);
    if (begun === null || begun.brandId !== brandId) {
      const message = 'state: it is over, or was not made for this brand. Begin the connection again.';
      throw new DomainError('INVALID_REQUEST', message);
    }
    if (begun.person !== JSON.stringify(personOf(caller))) {
      throw new DomainError('FORBIDDEN', 'Somebody else began this connection: begin it again yourself.');
    }
    await requireBrand(storage.brands, brandId);
    const { platform, redirectUri } = begun;
    const api = officialApiOf(deps, platform);
    const { accountId, handle, scopes, tokens } = await api.authorise(code, redirectUri);
    const now = clock.now();
    const made = await storage.brandConnections.connect({
      brandId,
      platform,
      accountId,
      handle,
      scopes,
      status: 'active',
      ...sealTokens(secretBox, { platform, accountId }, tokens),
      // Should the process die before comments are subscribed to, the renewal does it.
      renewAt: now,
      renewedAt: now,
      subscribedAt: null,
      connectedAt: now,
      lastFailure: null,
    });
    if (made === 'taken') {
      throw new DomainError('CONFLICT', 'This account is connected already. Disconnect it there first.');
    }
    await keepIfBrandStands(storage.brands, brandId, () => storage.brandConnections.delete(brandId, made.id));
    return subscribed(deps, api, made);
  };
}

/** The connection, and what is not as it should be yet. */
async function subscribed(deps: ManageConnectionsDeps, api: OfficialApi, made: BrandConnection) {
  const store = deps.storage.brandConnections;
  try {
    const subscribedAt = await subscribe(deps, api, made);
    const connection = await store.update(made, { subscribedAt, renewAt: renewalOf(made) });
    return { connection: connection ?? made, warning: null };
  } catch (err) {
    deps.logger.warn({ err, connectionId: made.id }, 'comments of a connected account are not pushed yet');
    const failure = failureOf(made, err, deps.clock.now());
    const connection = (await store.update(made, failure)) ?? made;
    return { connection, warning: `Comments are not pushed yet; it is tried again. ${failure.lastFailure.message}` };
  }
}

function openState({ secretBox, clock }: ManageConnectionsDeps, sealed: string): State | null {
  try {
    // Sound: only `startConnecting` seals in this context.
    const state = JSON.parse(secretBox.open(sealed, STATE_CONTEXT)) as State;
    return state.until > clock.now().getTime() ? state : null;
  } catch {
    return null;
  }
}

function officialApiOf({ officialApis }: ManageConnectionsDeps, platform: PlatformName): OfficialApi {
  const api = officialApis.get(platform);
  if (api !== undefined) return api;
  throw new DomainError(
    'NOT_SUPPORTED',
    `No official API of ${platform} is configured: set \`platforms.${platform}.official\`.`,
  );
}
