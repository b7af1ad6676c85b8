/** What a challenge requires of accounts, on the wire. */
import { z } from 'zod';

const count = (most: number) => z.int().min(1).max(most).optional();
const yes = z.literal(true).optional();
export const requires = z
  .strictObject({
    minFollowers: count(1_000_000_000),
    minPosts: count(1_000_000_000),
    minAccountAgeDays: count(36_500).meta({ description: 'Some platforms do not tell it.' }),
    public: yes.meta({ description: 'A private account does not count.' }),
    provenOnly: yes.meta({ description: 'Only an account whose owner has shown control of it.' }),
    oneRewardPerAccount: yes.meta({
      description:
        'An account and a comment are rewarded once, however many creators have linked the account; also after one of them is erased.',
    }),
    unknown: z.enum(['wait', 'pass', 'fail']).optional().meta({
      description:
        'What a fact counts as that the platform does not tell. By default the claim is checked again later.',
    }),
  })
  .meta({ example: { minFollowers: 100, public: true } });
export const requiresSomething = requires
  .refine(({ unknown: _unknown, ...facts }) => Object.values(facts).some((fact) => fact !== undefined), {
    message: 'must require something; send null for nothing',
  })
  .nullish();
/** For descriptions. */
export const REQUIRES = 'What the account of a creator must be; null: any account counts.';
