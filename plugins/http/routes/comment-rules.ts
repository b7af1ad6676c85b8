/** The rules for comments on the wire, and the preview of what they would do. */
import { z } from 'zod';
import { toHashtag, wordsOf } from '../../../core/engagement/rules/comment-text.ts';
import { MOST_JUDGED } from '../../../core/engagement/rules/preview-rules.ts';
import { UNMET_RULES } from '../../../core/engagement/rules/unmet-rules.ts';
import { text, timestamp } from '../schemas.ts';

const phrases = (description: string) =>
  z
    .array(text(100).refine((phrase) => wordsOf(phrase).trim() !== '', 'must have a letter, a digit or an emoji'))
    .min(1)
    .max(50)
    .optional()
    .meta({ description });

const only = (description: string) => z.boolean().optional().meta({ description });

const atLeast = (most: number, description: string) => z.int().min(1).max(most).optional().meta({ description });

const words = z.strictObject({
  any: phrases('At least one of them.'),
  all: phrases('Every one of them.'),
  none: phrases('Not one of them.'),
});

const says = (rules: object): boolean =>
  Object.values(rules).some(
    (rule) => rule !== undefined && rule !== false && (typeof rule !== 'object' || Array.isArray(rule) || says(rule)),
  );

const rules = z.strictObject({
  words: words.optional().meta({
    description: 'Whole words or phrases. Letter case, accents and punctuation do not matter.',
  }),
  hashtags: z
    .array(text(100).refine((tag) => toHashtag(tag) !== null, 'must be one hashtag, with or without #'))
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'Every one of them, with or without `#`.' }),
  mentions: atLeast(20, 'So many different people, besides the author and those who published the post.'),
  minWords: atLeast(200, 'So many words, mentions and hashtags not counted.'),
  notOnlyEmoji: only('A letter or a digit besides mentions.'),
  topLevelOnly: only('No reply to another comment.'),
  notByOwner: only('Not by an account that published the post.'),
  since: z.literal('campaign-start').optional().meta({
    description: 'Written after `startsAt`, or after the campaign was created.',
  }),
  ownText: only('Not the same words as an earlier comment of somebody else.'),
});

export const commentRules = rules.refine(says, 'must have at least one rule; send null for none').nullish();

/** As it is read. */
export const storedRules = z.object(rules.shape).meta({ id: 'CommentRules' }).nullish().meta({
  description: 'What a comment must be; absent if any comment counts.',
});

export const unmetRules = z
  .array(z.enum(UNMET_RULES))
  .nullish()
  .meta({ description: "What the creator's nearest comment does not meet; absent or null if there is none." });

export const rulesPreviewBody = z
  .strictObject({
    rules: commentRules.meta({ description: "The challenge's own by default; null: none." }),
    limit: z.int().min(0).max(100).default(20).meta({ description: 'Most comments that are shown.' }),
  })
  .meta({ example: { rules: { mentions: 2, words: { any: ['spring'] } } } });

export const rulesPreview = z
  .object({
    campaignId: z.int(),
    comments: z.int().meta({ description: 'Stored comments.' }),
    judged: z
      .int()
      .meta({ description: `Of these, the newest ${MOST_JUDGED} at most, without those that are withheld.` }),
    matching: z.int(),
    matchingAuthors: z.int().meta({ description: 'Different authors of matching comments, registered or not.' }),
    unmet: z.partialRecord(z.enum(UNMET_RULES), z.int()).meta({ description: 'How many comments fail each rule.' }),
    publishersKnown: z.boolean().meta({
      description: 'False: the post could not be read, and nothing meets `mentions` and `notByOwner` until it can.',
    }),
    examples: z
      .array(
        z.object({
          username: z.string(),
          commentText: z.string(),
          commentedAt: timestamp,
          unmetRules: z.array(z.enum(UNMET_RULES)).meta({ description: 'Empty: it matches.' }),
        }),
      )
      .meta({
        description: 'The newest that match, then the newest that fail; half of them each, if there are enough.',
      }),
  })
  .meta({ id: 'RulesPreview' });
