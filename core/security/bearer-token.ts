import { z } from 'zod';

/** A token that an operator chooses: long enough not to be guessed, as an `Authorization` header can carry it. */
export const bearerToken = z
  .string()
  .min(16, 'must have at least 16 characters')
  .max(512)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');
