/** The apps to which owners of posts have given access: codes, tokens, and where comments are pushed to. */
import type { PlatformName } from 'credence/kit';
import { hashText } from '../seeded.ts';

/** The one app that both APIs know. */
export const SIMULATED_APP = {
  appId: '1234567890',
  appSecret: 'simulated-app-secret',
  verifyToken: 'simulated-verify-token',
} as const;

export type TokenState = 'live' | 'expired' | 'revoked';

export interface Grant {
  readonly platform: PlatformName;
  readonly handle: string;
  /** As the APIs name it. */
  readonly accountId: string;
  state: TokenState;
}

interface Account {
  readonly platform: PlatformName;
  readonly accountId: string;
}

/** What an app sees of the world. */
interface AppWorld {
  readonly seed: string;
  posts(platform: PlatformName): readonly { readonly owner: { readonly handle: string } }[];
  findProfile(platform: PlatformName, handle: string): Account | undefined;
  addProfile(profile: { readonly platform: PlatformName; readonly handle: string }): Account;
}

export class OfficialApps {
  readonly #world: AppWorld;
  /** By code or token: each is one of the account. */
  readonly #grants = new Map<string, Grant>();
  readonly #approving = new Map<PlatformName, string>();
  readonly #subscribed = new Set<string>();
  /** Where each platform pushes comments to. */
  readonly receivers = new Map<PlatformName, { readonly url: string }>();
  #issued = 0;

  constructor(world: AppWorld) {
    this.#world = world;
  }

  /** Who is logged in where an app asks for access; the owner of the platform's first post by default. */
  setApproving(platform: PlatformName, handle: string): void {
    this.#approving.set(platform, handle);
  }

  /** A code of the account that is logged in; null if there is none. */
  approve(platform: PlatformName): string | null {
    const handle = this.#approving.get(platform) ?? this.#world.posts(platform)[0]?.owner.handle;
    return handle === undefined ? null : this.connect(platform, handle).accessToken;
  }

  /** Gives the app access to an account, as if its owner had come back from the login. */
  connect(platform: PlatformName, handle: string): { readonly accountId: string; readonly accessToken: string } {
    const profile = this.#world.findProfile(platform, handle) ?? this.#world.addProfile({ platform, handle });
    const accountId = officialIdOf(profile);
    return { accountId, accessToken: this.issue({ platform, handle, accountId, state: 'live' }) };
  }

  issue(grant: Grant): string {
    this.#issued += 1;
    const token = `sim-${grant.platform}-${this.#issued}-${hashText(`${this.#world.seed} ${this.#issued}`).toString(36)}`;
    this.#grants.set(token, grant);
    return token;
  }

  /** What a code stands for, which is good once; undefined for one that is not. */
  redeem(code: string): Grant | undefined {
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    return grant;
  }

  grantOf(token: string): Grant | undefined {
    return this.#grants.get(token);
  }

  /** Sets the state of all tokens of an account, or of all accounts. */
  setTokens(platform: PlatformName, handle: string | undefined, state: TokenState): void {
    for (const grant of this.#grants.values()) {
      if (grant.platform === platform && (handle === undefined || grant.handle === handle)) grant.state = state;
    }
  }

  /** Whether comments on the posts of an account are pushed. */
  subscribe(accountId: string, isSubscribed: boolean): void {
    this.#subscribed[isSubscribed ? 'add' : 'delete'](accountId);
  }

  /** TikTok is told of a receiver for all accounts of the app, Instagram of each account. */
  isSubscribed(platform: PlatformName, accountId: string): boolean {
    if (platform !== 'tiktok') return this.#subscribed.has(accountId);
    return [...this.#grants.values()].some((grant) => grant.accountId === accountId && grant.state === 'live');
  }

  receive(platform: PlatformName, url: string): void {
    this.receivers.set(platform, { url });
  }
}

/** How the APIs name an account that gave access. */
export function officialIdOf({ platform, accountId }: Account): string {
  return platform === 'tiktok' ? `_000${hashText(accountId).toString(36)}` : `17841${pad(accountId)}`;
}

/** How an app knows the author of a comment: stable, and not the public number. */
export function scopedIdOf(platform: PlatformName, accountId: string): string {
  return platform === 'tiktok' ? `uid-${hashText(`scoped ${accountId}`).toString(36)}` : `99${pad(accountId)}`;
}

/** How Instagram's API names a post. */
export function mediaIdOf({ contentId }: { readonly contentId: string }): string {
  return `18${pad(contentId)}`;
}

const pad = (text: string) => String(hashText(`official ${text}`)).padStart(12, '0');
