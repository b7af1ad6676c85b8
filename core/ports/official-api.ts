/**
 * A platform's own API for posts of accounts whose owner has authorised an app: how a brand connects its account, how its posts
 * are read, and what the platform pushes. One adapter for each platform that has such an API.
 *
 * Failures of calls are those of `Platform`. A token that is refused is `PLATFORM_UNAVAILABLE` with the reason `token-expired`,
 * `token-revoked` or `token-scope` (a permission is missing).
 */
import type { PlatformName } from '../platforms/platform-name.ts';
import type { AdapterContext } from './adapter-values.ts';
import type { Platform } from './platform.ts';

/** What lets an app read an account. Secret: sealed at rest, never logged, never shown. */
export interface OfficialTokens {
  readonly accessToken: string;
  /** When the API refuses the access token; null if it does not say. */
  readonly expiresAt: Date | null;
  /** Renews the access token, on platforms where that takes a second token; null elsewhere. */
  readonly refreshToken: string | null;
  /** When the owner has to connect again; null if renewing has no end. */
  readonly refreshExpiresAt: Date | null;
}

/** What the owner of an account has allowed. */
export interface Authorisation {
  /** How the API names the account: in its calls and in what it pushes. */
  readonly accountId: string;
  /** Normalised. */
  readonly handle: string;
  readonly scopes: readonly string[];
  readonly tokens: OfficialTokens;
}

/** Where the owner of an account is sent, and what comes back from there. */
export interface AuthorisationRequest {
  /** As it is registered with the platform. */
  readonly redirectUri: string;
  readonly state: string;
}

/** An account whose posts can be read now. */
export interface OfficialAccount {
  /** Of the brand's connection. Null for one of the configuration. */
  readonly connectionId: number | null;
  readonly brandId: number;
  readonly accountId: string;
  readonly handle: string;
  readonly accessToken: string;
}

/** An account of a host that lets its owner authorise the app by itself. */
export interface ConfiguredAccount {
  readonly brandId: number;
  readonly accountId: string;
  /** Normalised. */
  readonly handle: string;
  /** A function is asked before the account is read: the host renews what it returns. */
  readonly accessToken: string | (() => Promise<string>);
}

/** Why an account cannot be read any more: its owner has to connect it again. */
export type Refusal = 'expired' | 'revoked' | 'scope';

/** The accounts of brands, for readers. */
export interface OfficialAccounts {
  /** The accounts of a brand that can be read; empty without any. Answers of the last seconds may be given again. */
  of(platform: PlatformName, brandId: number): Promise<readonly OfficialAccount[]>;
  /** The account that the API knows by this id, whichever brand's it is; null if no brand has connected it. */
  byAccountId(platform: PlatformName, accountId: string): Promise<OfficialAccount | null>;
  /** The API has refused the account's token. Never rejects. */
  refused(account: OfficialAccount, why: Refusal): Promise<void>;
  /** A post of a connected account, by one of its two ids; null if it was not remembered. */
  findPost(
    platform: PlatformName,
    which: { readonly contentId: string } | { readonly apiId: string },
  ): Promise<OfficialPost | null>;
  rememberPosts(platform: PlatformName, posts: readonly OfficialPost[]): Promise<void>;
}

/** A post as URLs name it and as the API does, and whose it is. */
export interface OfficialPost {
  readonly contentId: string;
  readonly apiId: string;
  /** See `Authorisation.accountId`. */
  readonly accountId: string;
}

/** What the platform tells about one comment. */
export interface PushedChange {
  /** Whose post it is, as `Authorisation.accountId`; null if the platform does not tell it. */
  readonly accountId: string | null;
  /** As the API names the post. */
  readonly postApiId: string;
  readonly commentId: string;
  /** `removed`: deleted. `hidden`: kept from others by the owner. `shown`: to be seen again. */
  readonly action: 'added' | 'removed' | 'hidden' | 'shown';
  /** When it happened; of two changes of one comment the later one stands. */
  readonly at: Date;
  readonly parentId: string | null;
  /** Normalised; empty if the platform names the author by id only. */
  readonly handle: string;
  /** See `PlatformComment.scopedAuthorId`; null if it is not told. */
  readonly scopedAuthorId: string | null;
  readonly text: string;
}

/** What a receiver of pushes is given: the request as it came. */
export interface PushRequest {
  readonly body: Uint8Array;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
}

/** How the platform pushes comments. */
export interface OfficialPush {
  /** The answer, as text, to a request that asks whether this is the receiver; null if it is not meant. Platforms without it leave it out. */
  answer?(query: Readonly<Record<string, string | undefined>>): string | null;
  /** Whether the platform has signed the request, lately. Compares in constant time. */
  isAuthentic(request: PushRequest): boolean;
  /** At most 1,000 changes, and how many entries could not be read. @throws DomainError `INVALID_REQUEST` for a body that is none */
  read(body: Uint8Array): { readonly changes: readonly PushedChange[]; readonly unreadable: number };
  /**
   * Asks the platform to push comments of an account to this receiver. Repeating it changes nothing. Platforms that are told the
   * receiver with the app do not use the URL.
   */
  subscribe(account: OfficialAccount, receiverUrl: string): Promise<void>;
}

/** The API of one platform. */
export interface OfficialApi {
  readonly platform: PlatformName;
  /** Where owners of accounts may come back to. Each is registered with the platform, and a request names one of them exactly. */
  readonly redirectUris: readonly string[];
  /** Accounts of the configuration, which nobody has to connect. */
  readonly accounts: readonly ConfiguredAccount[];
  /** The page on which the owner of an account allows the app to read it. */
  authorisationUrl(request: AuthorisationRequest): string;
  /** What the owner has allowed, for the code that came back. @throws DomainError `INVALID_REQUEST` for a code that is not taken */
  authorise(code: string, redirectUri: string): Promise<Authorisation>;
  /** Fresh tokens; what the platform does not renew stays. */
  renew(tokens: OfficialTokens): Promise<OfficialTokens>;
  /** Gives the tokens back. Without a way to do so nothing happens. */
  revoke(tokens: OfficialTokens): Promise<void>;
  readonly push: OfficialPush;
  /**
   * The content id of a post of the account, as URLs have it, for a post that was pushed; null if the account has none of this id. The
   * same id on platforms whose API and URLs name posts alike; others ask the API. @throws as the reader does
   */
  contentIdOf(account: OfficialAccount, postApiId: string): Promise<string | null>;
  /**
   * The reader of posts of connected accounts. It serves calls with a `brandId` that has an account, and only posts of that
   * account; all others are `NOT_SUPPORTED`.
   */
  createReader(context: AdapterContext, accounts: OfficialAccounts): Platform;
  close(): Promise<void>;
}
