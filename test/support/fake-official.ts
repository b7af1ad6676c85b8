/** An official API that is played: accounts are named by their codes, and a test says what fails. */
import { verifyServiceSignature } from '../../core/engagement/webhooks/signature.ts';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import type { OfficialApi, OfficialTokens, PushedChange } from '../../core/ports/official-api.ts';
import { ContainerModule } from '../../plugins/compose/container.ts';
import { PARTS } from '../../plugins/compose/tokens.ts';
import { CALLBACK_SECRET } from './callback-world.ts';

export const REDIRECT_URI = 'https://console.example/connected';
export const HOUR_MS = 3_600_000;

export interface FakeOfficial extends OfficialApi {
  /** What calls throw from now on; null ends it. */
  failing: { readonly [Call in 'renew' | 'revoke' | 'subscribe']: Error | null };
  /** The tokens that were given out, the newest last. */
  readonly given: OfficialTokens[];
  readonly renewed: OfficialTokens[];
  readonly revoked: OfficialTokens[];
  /** Where comments of an account are pushed to. */
  readonly subscribed: Map<string, string>;
  /** Waited for by each renewal. */
  held: Promise<void>;
}

/** Of a post that no campaign is about. */
const CHANGE: PushedChange = {
  ...{ accountId: null, postApiId: 'unknown', commentId: '1', parentId: null, handle: 'fan', scopedAuthorId: null },
  ...{ action: 'added', at: new Date(0), text: 'Hi' },
};

/** As an official API says that it does not take a token. */
export const refusedToken = (reason: 'token-expired' | 'token-revoked' | 'token-scope') =>
  new DomainError('PLATFORM_UNAVAILABLE', 'The token is not taken.', { details: { reason } });

/** `code-<accountId>` is taken, and `error-<CODE>` fails with the code. */
export function createFakeOfficial(
  platform = 'tiktok',
  { now = () => new Date(), accounts = [] as OfficialApi['accounts'], redirectUris = [REDIRECT_URI] } = {},
): FakeOfficial {
  const tokens = (): OfficialTokens => {
    const [accessToken, refreshToken] = ['access', 'refresh'].map((kind) => `${kind}-secret-${fake.given.length}`);
    const made = {
      accessToken: accessToken ?? '',
      refreshToken: refreshToken ?? '',
      expiresAt: new Date(now().getTime() + 24 * HOUR_MS),
      refreshExpiresAt: new Date(now().getTime() + 365 * 24 * HOUR_MS),
    };
    fake.given.push(made);
    return made;
  };
  const fake: FakeOfficial = {
    platform,
    redirectUris,
    accounts,
    failing: { renew: null, revoke: null, subscribe: null },
    given: [],
    renewed: [],
    revoked: [],
    subscribed: new Map(),
    held: Promise.resolve(),
    authorisationUrl: ({ state, redirectUri }) => {
      const query = new URLSearchParams({ state, redirect_uri: redirectUri });
      return `https://login.example/authorise?${query}`;
    },
    async authorise(code, redirectUri) {
      const [, error] = /^error-(\w+)$/.exec(code) ?? [];
      if (error !== undefined) throw new DomainError(error as ErrorCode, 'The API does not answer.');
      const [, accountId] = /^code-(\w+)$/.exec(code) ?? [];
      if (accountId === undefined || !fake.redirectUris.includes(redirectUri)) {
        throw new DomainError('INVALID_REQUEST', 'code: it is not taken.');
      }
      return { accountId, handle: `handle-${accountId}`, scopes: ['comment.list'], tokens: tokens() };
    },
    async renew(before) {
      await fake.held;
      if (fake.failing.renew !== null) throw fake.failing.renew;
      fake.renewed.push(before);
      return tokens();
    },
    async revoke(before) {
      if (fake.failing.revoke !== null) throw fake.failing.revoke;
      fake.revoked.push(before);
    },
    push: {
      answer: (query) => (query.verify === 'right' ? String(query.challenge) : null),
      // As our own callbacks are signed.
      isAuthentic: ({ body, headers }) => verifyServiceSignature(CALLBACK_SECRET, headers['x-service-signature'], body),
      read: () => ({ changes: [CHANGE], unreadable: 0 }),
      async subscribe({ accountId }, receiverUrl) {
        if (fake.failing.subscribe !== null) throw fake.failing.subscribe;
        fake.subscribed.set(accountId, receiverUrl);
      },
    },
    contentIdOf: async (_account, postApiId) => postApiId,
    createReader: () => {
      throw new Error('Nothing is read here.');
    },
    close: async () => {},
  };
  return fake;
}

/** For `CredenceOptions.modules`. */
export function withOfficial(...apis: readonly OfficialApi[]): ContainerModule {
  return new ContainerModule((options) => {
    options.rebind(PARTS.officialApis).toConstantValue(new Map(apis.map((api) => [api.platform, api])));
  });
}
