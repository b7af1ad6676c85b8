/** The pages of the guide in their order. A test compares the list with the folder. */
const recipes = (...names) => names.map((name) => `docs/recipes/${name}.md`);
const docs = (...names) => names.map((name) => `docs/${name}.md`);

export const PAGES = {
  Start: [...docs('index', 'quick-start', 'concepts'), 'README.md'],
  Recipes: recipes(
    'existing-backend',
    'embed',
    'call',
    'webhook-receiver',
    'testing',
    'troubleshooting',
    'authentication',
    'frameworks',
    'campaigns',
    'connect-your-accounts',
    'instagram-sessions',
    'production',
    'upgrade',
    'extend',
    'verify-a-proof',
  ),
  Reference: [
    ...docs(
      'api',
      'events',
      'errors',
      'console',
      'configuration',
      'specification/engagement',
      'specification/web-proofs',
    ),
    'adapters/groth16-prover/README.md',
  ],
  Operation: docs('operation', 'scaling', 'benchmarks'),
  Trust: docs('web-proofs', 'trust', 'guarantees'),
  Project: [...docs('decisions', 'adr/README'), 'CONTRIBUTING.md', 'SECURITY.md'],
};
