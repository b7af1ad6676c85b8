/** The things that operations return, by name. What a storage keeps of them is in `credence/ports`. */
import type { CredenceApi } from './api.ts';

/**
 * What an operation resolves to: `ResultOf<Credence['campaigns']['summarise']>`. Of a list that is answered by pages only if a `limit`
 * asks for them, it is the whole list.
 */
export type ResultOf<Operation extends (...input: never) => Promise<unknown>> = Awaited<ReturnType<Operation>>;

/** A customer that runs campaigns. */
export type Brand = ResultOf<CredenceApi['brands']['create']>;
/** A new campaign with its challenge. */
export type CampaignWithChallenge = ResultOf<CredenceApi['campaigns']['create']>;
/** A campaign, without its challenge. */
export type Campaign = CampaignWithChallenge['campaign'];
/** What creators have to do, on which post. */
export type Challenge = CampaignWithChallenge['challenge'];
/** A creator with one of the linked handles, as lists show it. */
export type Creator = ResultOf<CredenceApi['creators']['list']>[number];
/** A creator with the handle that was linked. */
export type RegisteredCreator = ResultOf<CredenceApi['creators']['register']>;
/** A creator's attempt at a challenge. */
export type Attempt = ResultOf<CredenceApi['attempts']['get']>;
/** A webhook, without its secret. */
export type Webhook = ResultOf<CredenceApi['webhooks']['update']>;
/** A delivery to a webhook, as lists show it. */
export type Delivery = ResultOf<CredenceApi['webhooks']['listDeliveries']>['data'][number];
/** A stored comment on the post of a challenge. */
export type Comment = ResultOf<CredenceApi['challenges']['listComments']>['data'][number];
/** The figures of a public post. */
export type PostStats = ResultOf<CredenceApi['lookups']['post']>;
/** An API token as lists show it, without the token itself. */
export type ApiToken = ResultOf<CredenceApi['tokens']['list']>[number];
/** A line of the audit log. */
export type AuditEntry = ResultOf<CredenceApi['audit']['list']>['data'][number];
/** A web proof, as it is made, stored and verified. */
export type WebProof = ResultOf<CredenceApi['proofs']['prove']>;
/** What a verified web proof says. */
export type VerifiedWebProof = ResultOf<CredenceApi['proofs']['verify']>;
