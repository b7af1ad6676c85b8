/** When a campaign pays, on the wire. */
import { z } from 'zod';
import { text } from '../schemas.ts';

const fields = {};

const beacon = text(200).meta({
  description: 'The public value that will be mixed in, in words: of a time when all participants are verified.',
});
const DRAW = 'Only so many verified attempts are rewarded, drawn by lot.';

/** With which a campaign is created. A draw is there from the beginning, and stays. */
export const newTerms = z
  .strictObject({ ...fields, draw: z.strictObject({ beacon }).optional().meta({ description: DRAW }) })
  .nullish();
export const storedTerms = z
  .object({
    ...fields,
    draw: z
      .object({
        beacon,
        commitment: z.string().meta({ description: 'SHA-256 of the secret seed, in hexadecimal digits.' }),
      })
      .optional()
      .meta({ description: DRAW }),
  })
  .meta({ id: 'RewardTerms' })
  .nullish()
  .meta({ description: 'When a verified attempt is rewarded; absent: at once.' });
