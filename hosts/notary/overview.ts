/** What the notary's OpenAPI document says before its first operation. */
export const OVERVIEW = {
  title: 'Credence notary',
  tokens: 'One of the tokens that the operator of this notary lets in.',
  description: `A notary makes HTTPS requests for others and signs what came back, in TLSNotary's presentation format. It sees the credentials in a request and the whole answer, hidden parts too; a proof is as trustworthy as its key, whose fingerprint its operator tells you.

**Authentication.** \`Authorization: Bearer <token>\`, on the two routes of the notary. The operator sets the tokens (\`NOTARY_TOKENS\`); they have no roles, and no route makes or revokes any.

**Failures.** Rely on \`error.code\`; messages may change. The routes of the notary answer \`{ apiVersion, success: false, error: { code, message } }\`, all else \`{ error: { code, message, details?, requestId } }\`: an unknown path is a 404, and a known path with another method a 405 with \`Allow\`.

**Conventions.** Every answer carries \`x-request-id\`; send your own (8 to 64 letters, digits, \`.\`, \`_\`, \`-\`) to have it used.`,
} as const;
