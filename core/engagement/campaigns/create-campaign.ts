import { DomainError } from '../../errors.ts';
import type { ChallengeAction } from '../../platforms/descriptor.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import { keepIfBrandStands, requireBrand } from '../brands/own-brand.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Campaign, CampaignWithChallenge, Challenge } from './campaign.ts';
import { keepSeed } from './draw-winners.ts';
import type { CommentRules, DrawTerms, RewardTerms } from './terms.ts';

export type CreateCampaignDeps = Needs<
  'brands' | 'campaigns' | 'draws',
  'platforms' | 'resolvePost' | 'clock' | 'random' | 'secretBox'
>;

/** Terms before there is a seed to draw by. */
export type NewTerms = Omit<RewardTerms, 'draw'> & { readonly draw?: Pick<DrawTerms, 'beacon'> | undefined };

type Given<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

/** What may be left out has a default: the action is `comment`, its instruction a sentence that fits it, and anything else is none. */
export interface CreateCampaignInput
  extends Pick<Campaign, 'brandId' | 'title' | 'pointsReward'>,
    Given<Pick<Campaign, 'description' | 'imageUrl' | 'startsAt' | 'endsAt' | 'limits'>> {
  readonly terms?: NewTerms | null | undefined;
  readonly challenge: Given<Pick<Challenge, 'instructionText' | 'action' | 'countHidden' | 'rules' | 'requires'>> & {
    readonly targetUrl: string;
  };
}

/** What creators are told if nothing is said. */
export const INSTRUCTIONS: Readonly<Record<ChallengeAction, string>> = {
  comment: 'Comment on the post from your linked account.',
  like: 'Like the post from your linked account.',
};

/**
 * Creates a campaign with its challenge, active at once. The post is named by its URL and not read; only short links are
 * followed.
 * @throws DomainError `NOT_FOUND` (brand); `VALIDATION_ERROR` (not a post URL); the platform's failures for a short link.
 * `INVALID_REQUEST`: an action that the platform does not have, dates in the wrong order, limits that no reward fits into
 */
export function createCampaign(deps: CreateCampaignDeps) {
  return async (input: CreateCampaignInput, options?: PlatformCallOptions): Promise<CampaignWithChallenge> => {
    const { startsAt = null, endsAt = null } = input;
    checkDates({ startsAt, endsAt });
    checkLimits(input);
    await requireBrand(deps.storage.brands, input.brandId);
    const action = input.challenge.action ?? 'comment';
    const { platform, contentType, contentId, canonicalUrl } = await deps.resolvePost(
      input.challenge.targetUrl,
      options,
    );
    const { actions, label } = deps.platforms.describe(platform);
    if (!actions.includes(action)) {
      throw new DomainError(
        'INVALID_REQUEST',
        `challenge.action: ${label} does not support "${action}"; use ${actions.map((each) => `"${each}"`).join(' or ')}.`,
      );
    }
    checkRules(action, input.challenge.rules);
    const terms = await termsOf(deps, input.terms);
    const created = await deps.storage.campaigns.create(
      {
        brandId: input.brandId,
        title: input.title,
        description: input.description ?? null,
        imageUrl: input.imageUrl ?? null,
        pointsReward: input.pointsReward,
        isActive: true,
        startsAt,
        endsAt,
        createdAt: deps.clock.now(),
        ...given({ limits: input.limits, terms }),
      },
      {
        platform,
        contentType,
        contentId,
        canonicalUrl,
        instructionText: input.challenge.instructionText ?? INSTRUCTIONS[action],
        action,
        ...(input.challenge.countHidden && { countHidden: true }),
        ...given({ rules: input.challenge.rules, requires: input.challenge.requires }),
      },
    );
    const withdraw = () => deps.storage.campaigns.delete(created.campaign.id);
    await keepIfBrandStands(deps.storage.brands, input.brandId, withdraw);
    return created;
  };
}

async function termsOf(deps: CreateCampaignDeps, terms: NewTerms | null | undefined): Promise<RewardTerms | null> {
  if (terms == null) return null;
  const { draw, ...others } = terms;
  return draw === undefined ? others : { ...others, draw: { ...draw, commitment: await keepSeed(deps) } };
}

/** Without what is null: absent is what campaigns without it have. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<T>;

/** @throws DomainError `INVALID_REQUEST` for a challenge that asks for likes */
export function checkRules(action: ChallengeAction, rules: CommentRules | null | undefined): void {
  if (rules == null || action === 'comment') return;
  throw new DomainError(
    'INVALID_REQUEST',
    'challenge.rules: rules are for comments, and the challenge asks for likes.',
  );
}

/** @throws DomainError `INVALID_REQUEST` */
export function checkDates({ startsAt, endsAt }: Pick<Campaign, 'startsAt' | 'endsAt'>): void {
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    throw new DomainError('INVALID_REQUEST', 'endsAt must be later than startsAt.');
  }
}

/** A reward that its limits never have room for would be waited for in vain. @throws DomainError `INVALID_REQUEST` */
export function checkLimits({ pointsReward, limits }: Pick<CreateCampaignInput, 'pointsReward' | 'limits'>): void {
  for (const name of ['pointsBudget', 'pointsPerCreatorAndDay'] as const) {
    if ((limits?.[name] ?? pointsReward) < pointsReward)
      throw new DomainError('INVALID_REQUEST', `limits.${name} must be at least pointsReward, or nobody is paid.`);
  }
}
